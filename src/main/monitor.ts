import path from 'node:path';
import { createMonitorDirectory } from '../github/job-state.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { startMonitor } from '../monitor/start-monitor.ts';

const script = path.join(import.meta.dirname, 'monitor-sampler.js');
const files = { script, openDirectory: createMonitorDirectory };

await runAction({
  task: 'monitor',
  inputs: INPUTS.monitor,
  async run(inputs, context, raw) {
    await startMonitor(inputs, raw, context, files);
    // The step that ends the monitor reports.
    return undefined;
  },
  sections: () => ({}),
});
