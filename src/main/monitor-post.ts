import { keptInputs, monitorDirectory } from '../github/monitor-state.ts';
import { step } from '../github/step.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { isStopped, removeDirectory, requireInputs } from '../monitor/directory.ts';
import type { Context } from '../run/context.ts';
import { endMonitor } from '../run/monitor.ts';
import { quote } from '../text/visible.ts';

const monitor = monitorDirectory();
if (monitor !== undefined) {
  const { directory, isOwn } = monitor;
  const kept = keptInputs();
  // A monitor whose directory is gone ends, however this process ended.
  if (isOwn) process.on('exit', () => removeDirectory(directory));
  const run = async (inputs: Inputs<'monitor-end'>, context: Context) => {
    const notOwn = `${quote(directory)} is not a monitor directory below RUNNER_TEMP.`;
    if (!isOwn) throw inputError('monitor', notOwn);
    requireInputs(kept);
    return endMonitor(inputs, directory, context);
  };
  // A step that stopped the monitor has judged it.
  if (!isOwn || !isStopped(directory)) await step('monitor-end', run, kept);
}
