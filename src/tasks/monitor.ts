import path from 'node:path';
import { agentService, withClient } from '../agent/client.ts';
import type { Outcome } from '../agent/retry.ts';
import { gateOf } from '../gate/judge.ts';
import { InputError, inputError, problemOf } from '../inputs/input-error.ts';
import { type Inputs, inputNames, parseInputs } from '../inputs/inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import {
  appendLine,
  findGaps,
  type Gap,
  isStopped,
  loadInputs,
  type MonitorRecord,
  readRecord,
  requestStop,
  STOP_REQUESTED,
  saveInputs,
} from '../monitor/record.ts';
import { waitForSampler } from '../monitor/sampler.ts';
import { startSampler } from '../monitor/start.ts';
import type { MeasuredSection } from '../report/measured-section.ts';
import { type Report, reportOf } from '../report/report.ts';
import type { Stats } from '../stats/stats.ts';
import { quote } from '../text/escape.ts';
import { formatCount, formatTime } from '../text/format.ts';
import type { Context } from './context.ts';
import { explainUnjudgeable, readStatsWithRetries } from './measure.ts';

interface MonitorSetup {
  readonly script: string;
  readonly openDirectory: () => string;
  readonly jobPid: number;
}

// A sandbox that was just created or resumed may not answer immediately.
export const FIRST_RETRIES = 2;

/**
 * Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler.
 * @throws AgentError if the sample fails
 * @throws InputError if the sample lacks a metric of `fail-if`
 */
export async function startMonitor(
  inputs: Inputs<'monitor'>,
  raw: RawInputs,
  context: Context,
  { script, openDirectory, jobPid }: MonitorSetup,
): Promise<void> {
  const outcome = await withClient(agentService(inputs), context, client =>
    readStatsWithRetries({ ...inputs, retries: FIRST_RETRIES }, client, context),
  );
  const stats = requireJudgeable(inputs, outcome);
  const directory = openDirectory();
  const judgingInputs = inputNames('monitor-end').map(name => [name, raw[name] ?? '']);
  saveInputs(directory, { ...Object.fromEntries(judgingInputs), 'base-url': inputs.baseUrl });
  appendLine(directory, { at: context.now(), stats: stats.json });
  await startSampler(script, directory, { inputs: raw, jobPid });
}

/**
 * Returns the stats of a first sample, which proves that the gate can be judged.
 * @throws AgentError if the sample failed
 * @throws InputError if it lacks a metric of `fail-if`
 */
export function requireJudgeable(
  inputs: Pick<Inputs<'monitor'>, 'failIf'>,
  outcome: Outcome<Stats>,
): Stats {
  if ('error' in outcome) throw outcome.error;
  const unjudgeable = explainUnjudgeable(inputs, outcome.value);
  if (unjudgeable.length === 0) return outcome.value;
  throw new InputError(unjudgeable.map(message => problemOf('fail-if', `${message}.`)));
}

/** Stops the sampler and judges its record. @throws InputError if the record is lost */
export async function endMonitor(directory: string, context: Context): Promise<Report> {
  const { cancel } = context;
  const saved = loadInputs(directory);
  if (saved === undefined) throw lostRecordError(directory);
  const jobEnd = context.now();
  requestStop(directory);
  await waitForSampler(directory, { ...context, stop: cancel });
  const record = readRecord(directory);
  if (record.samples.length === 0) throw lostRecordError(directory);
  // A cancelled step does not wait for the sampler's last line.
  const end = record.end ?? (cancel.aborted ? STOP_REQUESTED : undefined);
  const inputs = parseInputs('monitor-end', saved);
  const judged = judgeRecord(inputs, { ...record, end }, { to: jobEnd });
  return reportOf('monitor', inputs, cancel, { name: inputs.name, ...judged });
}

export interface JudgedRecord extends Pick<Report, 'errors' | 'warnings'> {
  readonly measured: MeasuredSection;
}

/**
 * Judges a record of the time until `to`, and since `from` if given (Unix milliseconds). A gap is an
 * error if there is a `fail-if`, and a warning otherwise.
 */
export function judgeRecord(
  {
    failIf,
    warnIf,
    sampleInterval,
  }: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: MonitorRecord,
  time: { readonly from?: number; readonly to: number },
): JudgedRecord {
  const { samples } = record;
  const monitored = {
    from: time.from ?? samples[0]?.at ?? time.to,
    to: Math.max(samples.at(-1)?.at ?? time.to, time.to),
  };
  const gaps = findGaps(record, time, sampleInterval).map(describeGap);
  const messages = gaps.map(({ message }) => message);
  const [first] = failIf.length > 0 ? gaps : [];
  return {
    measured: { samples, monitored, gate: gateOf({ failIf, warnIf }, samples, gaps.length > 0) },
    errors: first === undefined ? [] : [{ ...first, details: messages.slice(1) }],
    warnings: [...describeFailures(record), ...(first === undefined ? messages : [])],
  };
}

function lostRecordError(directory: string) {
  return inputError('monitor', `its record is lost: something removed files from ${directory}.`);
}

function describeGap({ from, to, why }: Gap) {
  const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}`;
  return { title: `${title}.`, message: `${title}${why}.` };
}

function describeFailures({ failures: [first, ...others] }: MonitorRecord): string[] {
  if (first === undefined) return [];
  const suffix = others.length === 0 ? '' : ', the first';
  return [`${formatCount(others.length + 1, 'sample')} failed${suffix}: ${first}`];
}

/**
 * Returns the directory of the monitor to stop, by its ID or its name.
 * @throws InputError unless exactly one matches
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
