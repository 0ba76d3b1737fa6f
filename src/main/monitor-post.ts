import { monitorDirectory } from '../github/monitor-directory.ts';
import { step } from '../github/step.ts';
import { parseMonitor } from '../inputs/tasks.ts';
import { removeRecord, requestEnd } from '../monitor/record.ts';
import { endMonitor } from '../run/monitor.ts';
import { userAgent } from './user-agent.ts';

const directory = monitorDirectory();
if (directory !== undefined) {
  // Before the inputs are looked at: whatever is wrong with them, the monitor must end.
  requestEnd(directory);
  await step({
    task: 'monitor',
    userAgent,
    parse: parseMonitor,
    run: (task, surroundings) => endMonitor(task, directory, surroundings),
  });
  removeRecord(directory);
}
