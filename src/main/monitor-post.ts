import { monitorDirectory } from '../github/monitor.ts';
import { step } from '../github/step.ts';
import { parseMonitor } from '../inputs/tasks.ts';
import { endMonitor } from '../run/monitor.ts';
import { userAgent } from './user-agent.ts';

const directory = monitorDirectory();
if (directory !== undefined)
  await step('monitor', (raw, surroundings) =>
    endMonitor(parseMonitor(raw), directory, { ...surroundings, userAgent }),
  );
