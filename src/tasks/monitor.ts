import path from 'node:path';
import { openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { inputError } from '../inputs/input-error.ts';
import { type Inputs, inputNames } from '../inputs/inputs.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import {
  appendLine,
  isStopped,
  loadInputs,
  readRecord,
  requestStop,
  saveInputs,
} from '../monitor/record.ts';
import { startSampler, waitForSampler } from '../monitor/sampler.ts';
import { type Report, reportOf } from '../report/report.ts';
import { ENDED_AS_PLANNED } from '../stats/samples.ts';
import { quote } from '../text/escape.ts';
import { formatDuration } from '../text/format.ts';
import { judgeRecord } from './judge-record.ts';
import { FIRST_SAMPLE_RETRIES, readJudgeableStats } from './measure.ts';

/**
 * Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler.
 * @throws AgentError if the sample fails
 * @throws InputError if the sample lacks a metric of `fail-if`, or the sampler exits at once
 */
export async function startMonitor(
  inputs: Inputs<'monitor'>,
  raw: RawInputs,
  context: Context,
  { script, openDirectory }: { script: string; openDirectory: () => string },
): Promise<undefined> {
  await using client = openAgent(inputs, context);
  const request = { ...inputs, retries: FIRST_SAMPLE_RETRIES };
  const stats = await readJudgeableStats(request, client, context);
  const directory = openDirectory();
  const judgingInputs = inputNames('monitor-end').map(name => [name, raw[name] ?? '']);
  saveInputs(directory, { ...Object.fromEntries(judgingInputs), 'base-url': inputs.baseUrl });
  appendLine(directory, { at: context.now(), ...stats });
  await startSampler(script, directory, raw);
  const { name, sandboxId, sampleInterval } = inputs;
  const activity = name === '' ? 'Monitoring' : `${name}: monitoring`;
  const interval = formatDuration(sampleInterval);
  context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${interval}`);
}

/** Stops the sampler and judges its record. @throws InputError if the record is lost */
export async function endMonitor(directory: string, context: Context): Promise<Report> {
  const { cancel } = context;
  const lost = `its record is lost: something removed files from ${directory}.`;
  const saved = loadInputs(directory);
  if (saved === undefined) throw inputError('monitor', lost);
  const jobEnd = context.now();
  requestStop(directory);
  await waitForSampler(directory, context);
  const record = readRecord(directory);
  const [first] = record.samples;
  if (first === undefined) throw inputError('monitor', lost);
  // A cancelled step does not wait for the sampler to record why it ended.
  const endReason = cancel.aborted ? ENDED_AS_PLANNED : record.endReason;
  const inputs = parseInputs('monitor-end', saved);
  const judged = judgeRecord(inputs, { ...record, endReason }, { from: first.at, to: jobEnd });
  return reportOf('monitor', inputs, cancel, { name: inputs.name, ...judged });
}

/**
 * Returns the directory of the running monitor with this ID or name; an empty `wanted` fits any.
 * @throws InputError unless exactly one fits
 */
export function chooseMonitor(wanted: string, directories: readonly string[]): string {
  const running = directories
    .filter(directory => !isStopped(directory))
    .map(directory => {
      const name = loadInputs(directory)?.['name']?.trim() ?? '';
      return { directory, name, id: path.basename(directory) };
    });
  if (running.length === 0) throw inputError('monitor', NONE_RUNS);
  const [only, ...others] = running.filter(({ name, id }) => ['', name, id].includes(wanted));
  if (only !== undefined && others.length === 0) return only.directory;
  const names = running.map(({ name, id }) => (name === '' ? id : `${quote(name)} (${id})`));
  throw inputError(
    'monitor',
    `must name exactly one running monitor of this job, not ${quote(wanted)}. Running: ${names.join(', ')}. Use the output of the step that started the monitor.`,
    '${{ steps.<its id>.outputs.monitor }}',
  );
}

const NONE_RUNS =
  'no monitor runs in this job. The step sandbox-sync/sandbox-sync/monitor must come before this one, and only one step can stop it.';
