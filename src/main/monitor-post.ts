import { monitorDirectory } from '../github/runner.ts';
import { step } from '../github/step.ts';
import { removeRecord, requestEnd } from '../monitor/record.ts';
import { endMonitor } from '../run/monitor.ts';

const directory = monitorDirectory();
if (directory !== undefined) {
  // Before the inputs are looked at: whatever is wrong with them, the monitor must end.
  requestEnd(directory);
  await step('monitor', (inputs, surroundings) => endMonitor(inputs, directory, surroundings));
  removeRecord(directory);
}
