import path from 'node:path';
import { findMonitors } from '../github/monitor-state.ts';
import { step } from '../github/step.ts';
import { inputError } from '../inputs/input-error.ts';
import { parseInputs } from '../inputs/inputs.ts';
import { isStopped, markStopped, readKeptInputs, requireInputs } from '../monitor/directory.ts';
import { endMonitor } from '../run/monitor.ts';
import { formatCount } from '../text/format.ts';
import { quote } from '../text/visible.ts';

const EXAMPLE = '${{ steps.<its id>.outputs.monitor }}';

let stopped: string | undefined;
await step('monitor-stop', async ({ monitor }, context) => {
  const directory = await chooseMonitor(monitor);
  const kept = await readKeptInputs(directory);
  requireInputs(kept);
  const report = await endMonitor(parseInputs('monitor-end', kept), directory, context);
  stopped = directory;
  return report;
});
// Only now: if this process is killed before, the post step judges.
if (stopped !== undefined) markStopped(stopped);

/** The directory of the monitor to stop. @throws InputError unless it is clear which one it is */
async function chooseMonitor(name: string): Promise<string> {
  const all = findMonitors();
  if (all.length === 0)
    throw inputError(
      'monitor',
      'no monitor runs in this job. Start one in an earlier step, with uses: sandbox-sync/sandbox-sync/monitor@v1.',
    );
  const running = all.filter(directory => !isStopped(directory));
  const named = running.filter(directory => name === '' || path.basename(directory) === name);
  const [only, ...others] = named;
  if (only === undefined && name === '')
    throw inputError('monitor', 'every monitor of this job was stopped already.');
  if (only === undefined) {
    const why = `${quote(name)} is no monitor of this job, or was stopped already. Use the output of the step that started it.`;
    throw inputError('monitor', why, EXAMPLE);
  }
  if (others.length === 0) return only;
  const shown = await Promise.all(named.map(describeMonitor));
  const why = `${formatCount(named.length, 'monitor')} run in this job: ${shown.join(', ')}. Say which one to stop.`;
  throw inputError('monitor', why, EXAMPLE);
}

async function describeMonitor(directory: string): Promise<string> {
  const { name = '' } = await readKeptInputs(directory);
  return name === '' ? path.basename(directory) : `${quote(name)} (${path.basename(directory)})`;
}
