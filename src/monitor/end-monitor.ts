import path from 'node:path';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import { type Connection, INPUTS } from '../inputs/inputs.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import { rawValue } from '../inputs/parsers.ts';
import { judgeRecord, type StatsResult } from '../stats/stats.ts';
import { quote } from '../text/escape.ts';
import { hasEnded, hasFile, loadInputs, readRecord, saveFile } from './record.ts';

interface MonitorResult {
  /** The inputs of the step that started the monitor. */
  readonly name: string;
  readonly sandbox: Pick<Connection, 'sandboxId' | 'baseUrl'>;
  readonly stats: StatsResult;
}

/** Stops the sampler and judges its record. @throws InputError if the record is lost */
export async function endMonitor(directory: string, context: Context): Promise<MonitorResult> {
  const saved = loadInputs(directory);
  if (saved === undefined)
    throw inputError('monitor', `its record is lost: something removed files from ${directory}.`);
  const jobEnd = context.now();
  saveFile(directory, 'stop');
  await waitForSampler(directory, context);
  const { requestedAt: to = jobEnd, ...record } = readRecord(directory);
  const inputs = parseInputs(INPUTS['monitor-end'], saved);
  const time = { from: record.observations[0]?.at ?? to, to };
  const stats = judgeRecord(inputs, record, time, { cancelled: context.cancel.aborted });
  return { name: inputs.name, sandbox: inputs, stats };
}

// Leaves time for a last sample, which the sampler cancels after 5 s.
const MAX_WAIT_MS = 8000;
const POLL_MS = 50;

async function waitForSampler(
  directory: string,
  { sleep, cancel, now }: Pick<Context, 'sleep' | 'cancel' | 'now'>,
): Promise<void> {
  const deadline = now() + MAX_WAIT_MS;
  while (!hasEnded(directory) && now() < deadline && !cancel.aborted) await sleep(POLL_MS, cancel);
}

/** Finds a running monitor. '' matches any. @throws InputError unless exactly one matches */
export function chooseMonitor(idOrName: string, directories: readonly string[]): string {
  const running = directories
    .filter(directory => !hasFile(directory, 'judged'))
    .map(directory => {
      const name = rawValue(loadInputs(directory) ?? {}, 'name');
      return { directory, name, id: path.basename(directory) };
    });
  if (running.length === 0) throw inputError('monitor', NONE_RUNS);
  const [only, ...others] = running.filter(({ name, id }) => ['', name, id].includes(idOrName));
  if (only !== undefined && others.length === 0) return only.directory;
  const names = running.map(({ name, id }) => (name === '' ? id : `${quote(name)} (${id})`));
  throw inputError(
    'monitor',
    `must name exactly one running monitor of this job, not ${quote(idOrName)}. Running: ${names.join(', ')}. Use the output of the step that started the monitor.`,
    '${{ steps.<its id>.outputs.monitor }}',
  );
}

const NONE_RUNS =
  'no monitor runs in this job. The step sandbox-sync/sandbox-sync/monitor must come before this one, and only one step can stop it.';
