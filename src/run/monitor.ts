import path from 'node:path';
import { openClient } from '../agent/client.ts';
import { withRetries } from '../agent/retry.ts';
import { gateOf } from '../gate/judge.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { inputError } from '../inputs/input-error.ts';
import { type Inputs, inputNames, parseInputs } from '../inputs/inputs.ts';
import {
  ASKED,
  appendLine,
  clockOf,
  findGaps,
  type Gap,
  isStopped,
  keepInputs,
  type MonitorRecord,
  readKeptInputs,
  readRecord,
  requestStop,
  startNow,
} from '../monitor/record.ts';
import { sampleTimeout, waitForSampler } from '../monitor/sampler.ts';
import { startSampler } from '../monitor/start.ts';
import { EMPTY_REPORT, type Report } from '../report/report.ts';
import { readStats, type Stats } from '../stats/stats.ts';
import { formatCount, formatTime } from '../text/format.ts';
import { quote } from '../text/visible.ts';
import type { Context } from './context.ts';

interface MonitorPlaces {
  readonly script: string;
  readonly openDirectory: () => string;
  readonly jobPid: number;
}

/**
 * Takes the first sample, so that a wrong token, host or ID fails here, then starts the sampler.
 * @throws AgentError or InputError
 */
export async function startMonitor(
  inputs: Inputs<'monitor'>,
  raw: RawInputs,
  context: Context,
  { script, openDirectory, jobPid }: MonitorPlaces,
): Promise<void> {
  const start = startNow();
  const { json } = await takeFirstSample(inputs, context);
  const directory = openDirectory();
  const kept = inputNames('monitor-end').map(name => [name, raw[name] ?? '']);
  keepInputs(directory, {
    inputs: { ...Object.fromEntries(kept), 'base-url': inputs.baseUrl },
    start,
  });
  appendLine(directory, { at: clockOf(start)(), stats: json }, context.redact);
  await startSampler(script, directory, { inputs: raw, start, jobPid });
  const text = `Monitor: records into ${directory} until process ${jobPid} ends`;
  context.onEvent({ kind: 'found', text });
}

// A sandbox that was just created or resumed may need a moment.
const FIRST_RETRIES = 2;

async function takeFirstSample(inputs: Inputs<'monitor'>, context: Context): Promise<Stats> {
  const client = openClient({ ...inputs, timeout: sampleTimeout(inputs) }, context);
  try {
    const outcome = await withRetries(() => readStats(client, inputs.statsPath), {
      ...context,
      retries: FIRST_RETRIES,
      stop: context.cancel,
      onRetry: retry => context.onEvent({ kind: 'retry', files: [], retry }),
    });
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  } finally {
    await client.close();
  }
}

/** Stops the sampler and judges its record. @throws InputError if the record is lost */
export async function endMonitor(directory: string, context: Context): Promise<Report> {
  const { cancel, onEvent } = context;
  const kept = readKeptInputs(directory);
  if (kept === undefined) throw lostRecord(directory);
  const jobEnd = clockOf(kept.start)();
  requestStop(directory);
  await waitForSampler(directory, { ...context, stop: cancel });
  const record = readRecord(directory);
  onEvent({ kind: 'found', text: describeRecord(record) });
  if (record.samples.length === 0) throw lostRecord(directory);
  // A cancelled step does not wait for the sampler's last line.
  const end = record.end ?? (cancel.aborted ? ASKED : undefined);
  const inputs = parseInputs('monitor-end', kept.inputs);
  return { ...judgeRecord(inputs, { ...record, end }, jobEnd), cancelled: cancel.aborted };
}

/** Judges a record; a gap fails a gate with `fail-if` and is a warning otherwise. */
export function judgeRecord(
  { name, sandboxId, baseUrl, failIf, warnIf, sampleInterval }: Inputs<'monitor-end'>,
  record: MonitorRecord,
  jobEnd: number,
): Report {
  const { samples, stats } = record;
  const gaps = findGaps(record, jobEnd, sampleInterval).map(describeGap);
  const [message, ...details] = gaps;
  const isFailure = failIf.length > 0 && message !== undefined;
  const figures = samples.map(sample => sample.figures);
  return {
    ...EMPTY_REPORT,
    task: 'monitor',
    name,
    sandboxId,
    baseUrl,
    samples,
    stats,
    monitored: {
      from: samples[0]?.at ?? jobEnd,
      to: Math.max(samples.at(-1)?.at ?? jobEnd, jobEnd),
    },
    gate: gateOf({ failIf, warnIf }, figures, gaps.length > 0),
    errors: isFailure ? [{ message, details }] : [],
    warnings: [...record.warnings, ...describeFailures(record), ...(isFailure ? [] : gaps)],
  };
}

function lostRecord(directory: string) {
  return inputError('monitor', `its record is lost: something removed files from ${directory}.`);
}

function describeGap({ from, to, why }: Gap): string {
  return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${why}.`;
}

function describeFailures({ failures }: MonitorRecord): string[] {
  const [first, ...others] = failures;
  if (first === undefined) return [];
  const number = formatCount(failures.length, 'sample');
  return [`${number} failed${others.length === 0 ? '' : ', the first'}: ${first.message}`];
}

const MAX_DEBUG_LINES = 100;

function describeRecord({ samples, failures, end, crash }: MonitorRecord): string {
  const ending = end ?? crash ?? 'unknown';
  const counts = `${formatCount(samples.length, 'sample')}, ${failures.length} failed`;
  const lines = failures
    .slice(0, MAX_DEBUG_LINES)
    .map(({ at, message }) => `- ${new Date(at).toISOString()}: ${message}`);
  return [`Monitor: ${counts}, ended: ${ending}`, ...lines].join('\n');
}

const EXAMPLE = '${{ steps.<its id>.outputs.monitor }}';

/** Returns the directory of the monitor to stop. @throws InputError unless exactly one matches */
export function chooseMonitor(wanted: string, directories: readonly string[]): string {
  const running = directories.filter(directory => !isStopped(directory));
  const named = running.filter(directory => wanted === '' || path.basename(directory) === wanted);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    const shown = named.map(nameMonitor).join(', ');
    const why = `${formatCount(named.length, 'monitor')} run in this job: ${shown}. Say which one to stop.`;
    throw inputError('monitor', why, EXAMPLE);
  }
  if (wanted === '')
    throw inputError(
      'monitor',
      'no monitor runs in this job. Start one in an earlier step, with uses: sandbox-sync/sandbox-sync/monitor@v1.',
    );
  const why = `${quote(wanted)} is no monitor of this job, or was stopped already. Use the output of the step that started it.`;
  throw inputError('monitor', why, EXAMPLE);
}

function nameMonitor(directory: string): string {
  const name = readKeptInputs(directory)?.inputs['name']?.trim() ?? '';
  const id = path.basename(directory);
  return name === '' ? id : `${quote(name)} (${id})`;
}
