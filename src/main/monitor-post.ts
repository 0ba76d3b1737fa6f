import { keptInputs, monitorDirectory } from '../github/runner.ts';
import { step } from '../github/step.ts';
import { inputError } from '../inputs/parse.ts';
import type { Inputs } from '../inputs/table.ts';
import { removeRecord, requestEnd } from '../monitor/record.ts';
import { endMonitor } from '../run/monitor.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { quote } from '../text/visible.ts';

const monitor = monitorDirectory();
if (monitor !== undefined) {
  const { directory, isOwn } = monitor;
  const kept = keptInputs();
  // However this process ends: the monitor sees it, and ends. What is no monitor's is not removed.
  if (isOwn) process.on('exit', () => removeRecord(directory));
  const run = async (inputs: Inputs<'monitor-end'>, surroundings: Surroundings) => {
    if (!isOwn) throw inputError('monitor', `${quote(directory)} is not a monitor directory below RUNNER_TEMP.`);
    if (kept['fail-if'] === undefined) throw inputError('monitor', 'its saved inputs are lost.');
    requestEnd(directory);
    return endMonitor(inputs, directory, surroundings);
  };
  await step('monitor-end', run, { given: kept });
}
