import { monitorDirectory } from '../github/runner.ts';
import { step } from '../github/step.ts';
import { inputError } from '../inputs/parse.ts';
import { removeRecord, requestEnd } from '../monitor/record.ts';
import { endMonitor } from '../run/monitor.ts';
import { quote } from '../text/visible.ts';

const monitor = monitorDirectory();
if (monitor !== undefined) {
  const { directory, isOwn } = monitor;
  // However this process ends, even for wrong inputs: the monitor sees it, and ends. What is no monitor's is not removed.
  if (isOwn) process.on('exit', () => removeRecord(directory));
  await step('monitor', async (inputs, surroundings) => {
    if (!isOwn) throw inputError('monitor', `${quote(directory)} is no directory of a monitor below RUNNER_TEMP.`);
    requestEnd(directory);
    return endMonitor(inputs, directory, surroundings);
  });
}
