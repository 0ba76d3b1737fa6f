import { keptInputs, monitorDirectory } from '../github/runner.ts';
import { step } from '../github/step.ts';
import { removeRecord, requestEnd } from '../monitor/record.ts';
import { endMonitor } from '../run/monitor.ts';

const directory = monitorDirectory();
if (directory !== undefined) {
  // However this process ends; one that is cancelled ends within its step.
  process.on('exit', () => removeRecord(directory));
  // Before anything is looked at: whatever is wrong with it, the monitor must end.
  requestEnd(directory);
  await step('monitor-end', (inputs, surroundings) => endMonitor(inputs, directory, surroundings), keptInputs());
}
