import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/parsers.ts';
import type { Sample } from '../stats/sample.ts';
import { decodeStats } from '../stats/stats.ts';
import { systemCode } from '../text/errors.ts';
import { fieldsOf, parseFields, stringFieldsOf } from '../text/json.ts';

/** Returns the paths of a monitor's files, which never contain secret inputs. */
export function monitorFiles(directory: string) {
  return {
    inputs: path.join(directory, 'inputs.json'),
    record: path.join(directory, 'record.jsonl'),
    pid: path.join(directory, 'pid'),
    errors: path.join(directory, 'errors.txt'),
    stop: path.join(directory, 'stop'),
  };
}

export function saveInputs(directory: string, inputs: RawInputs): void {
  writeFileSync(monitorFiles(directory).inputs, JSON.stringify(inputs), { mode: 0o600 });
}

export function loadInputs(directory: string): RawInputs | undefined {
  const json = readIfExists(monitorFiles(directory).inputs);
  return json === '' ? undefined : stringFieldsOf(JSON.parse(json));
}

/** Returns undefined once the sampler has exited normally. */
export function samplerPid(directory: string): number | undefined {
  return Number(readIfExists(monitorFiles(directory).pid)) || undefined;
}

const STOPPED = 'stopped';

export function requestStop(directory: string): void {
  appendFileSync(monitorFiles(directory).stop, '', { mode: 0o600 });
}

export function markStopped(directory: string): void {
  writeFileSync(monitorFiles(directory).stop, STOPPED);
}

export function isStopped(directory: string): boolean {
  return readIfExists(monitorFiles(directory).stop) === STOPPED;
}

/** `at` is in Unix milliseconds, `stats` is the JSON of `Stats`, `end` says why sampling ended. */
export type RecordLine =
  | { readonly at: number; readonly stats: string }
  | { readonly at: number; readonly failure: string }
  | { readonly at: number; readonly end: string };

export const STOP_REQUESTED = 'the job asked for it';

export function appendLine(directory: string, line: RecordLine): void {
  appendFileSync(monitorFiles(directory).record, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

// About 60,000 samples fit; a day has 17,280 at the default interval.
export const MAX_RECORD_BYTES = 16 * 1024 * 1024;

export function isFull(directory: string): boolean {
  return statSync(monitorFiles(directory).record).size >= MAX_RECORD_BYTES;
}

export interface MonitorRecord {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly failures: readonly string[];
  /** Undefined if the sampler was killed, crashed or hangs. */
  readonly end: string | undefined;
  /** The line of the sampler's stderr that names the error, or its last line. */
  readonly crash: string | undefined;
}

/** Reads the record, skipping the partial line that a killed sampler may leave. */
export function readRecord(directory: string): MonitorRecord {
  const { record, errors } = monitorFiles(directory);
  const lines = readIfExists(record).split('\n').map(parseFields);
  return { ...recordOf(lines), crash: findErrorLine(readIfExists(errors)) };
}

/** Collects the lines of a record, skipping any that is not a `RecordLine`. */
export function recordOf(lines: readonly object[]): Omit<MonitorRecord, 'crash'> {
  const decoded = lines.map(decodeLine);
  return {
    samples: decoded.flatMap(({ sample }) => sample ?? []),
    failures: decoded.flatMap(({ failure }) => failure ?? []),
    end: decoded.findLast(({ end }) => end !== undefined)?.end,
  };
}

// After an uncaught error, Node prints the stack, and its own version in the last line.
function findErrorLine(stderr: string): string | undefined {
  const lines = stderr.trim().split('\n');
  const line = lines.findLast(each => /^(FATAL ERROR|\w*Error)\b/.test(each)) ?? lines.at(-1);
  return line?.trim() || undefined;
}

function decodeLine(line: object): { sample?: Sample; failure?: string; end?: string } {
  const { at, stats, failure, end } = fieldsOf(line);
  if (typeof failure === 'string') return { failure };
  if (typeof end === 'string') return { end };
  const decoded = typeof stats === 'string' ? decodeStats(stats) : undefined;
  return typeof at === 'number' && decoded !== undefined ? { sample: { at, ...decoded } } : {};
}

/** `from` and `to` are Unix milliseconds. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Completes the sentence that reports the gap; empty if unknown. */
  readonly why: string;
}

// Runners and networks stall, so a few slow answers must not count as a gap.
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 30_000;

/**
 * Finds times without samples that exceed ten intervals and 30 s, and any time after a sampler that
 * ended early. With `from`, the time before the first sample counts, too.
 */
export function findGaps(
  record: MonitorRecord,
  { from, to: jobEnd }: { readonly from?: number; readonly to: number },
  intervalMs: number,
): Gap[] {
  const { samples, failures } = record;
  const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
  const isLong = (gap: Gap) => gap.to - gap.from > longest;
  const times = [from ?? [], samples.map(({ at }) => at)].flat();
  const between = times
    .slice(1)
    .map((at, index) => ({ from: times[index] ?? at, to: at, why: '' }));
  const last = times.at(-1) ?? jobEnd;
  const atEnd = { from: last, to: Math.max(jobEnd, last), why: whyEnded(record) };
  // The first sample is taken when the monitor starts, so alone it says nothing about the job. One
  // failure is normal: a step may delete the sandbox before the last sample.
  const isOnlyFirst = from === undefined && samples.length === 1 && failures.length > 1;
  const isUnseen = atEnd.why !== '' || isLong(atEnd) || samples.length === 0 || isOnlyFirst;
  return [...between.filter(isLong), ...(isUnseen ? [atEnd] : [])];
}

function whyEnded({ end, crash }: MonitorRecord): string {
  if (end === STOP_REQUESTED) return '';
  const reason = end ?? crash;
  if (reason === undefined) return ', since something else ended the monitor';
  return `, since the monitor had ended: ${reason}`;
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
