import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RawInputs } from '../inputs/fields.ts';
import { type Reading, type Samples, samplesOf } from '../stats/sample.ts';
import { decodeStats } from '../stats/stats.ts';
import type { Redact } from '../text/redact.ts';
import { fieldsOf, parseFields, systemCode, textsOf } from '../text/unknown.ts';

/** The files in a monitor's directory. None holds an input that is secret. */
export function filesIn(directory: string) {
  return {
    /** What the end needs, from the start step. */
    inputs: path.join(directory, 'inputs.json'),
    record: path.join(directory, 'record.jsonl'),
    /** The sampler's process ID, for as long as it runs. */
    pid: path.join(directory, 'pid'),
    /** The sampler's standard error. */
    errors: path.join(directory, 'errors.txt'),
    stop: path.join(directory, 'stop'),
  };
}

/** When a monitor started, in milliseconds since 1970 and since the machine started. */
export interface Start {
  readonly at: number;
  readonly uptimeMs: number;
}

// Unlike performance.now(), this clock has the same origin in every process of the machine
// (CLOCK_MONOTONIC on Linux), and unlike Date.now(), nobody puts it back.
function uptimeMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function startNow(): Start {
  return { at: Date.now(), uptimeMs: uptimeMs() };
}

/** Milliseconds since 1970 by the clock at the start, on a clock that does not jump after it. */
export function clockOf(start: Start): () => number {
  return () => Math.round(start.at + uptimeMs() - start.uptimeMs);
}

/** What the start step keeps for the end. */
export interface KeptInputs {
  readonly inputs: RawInputs;
  readonly start: Start;
}

export function keepInputs(directory: string, kept: KeptInputs): void {
  writeFileSync(filesIn(directory).inputs, JSON.stringify(kept), { mode: 0o600 });
}

/** What the start step kept; undefined if it is lost. */
export function readKeptInputs(directory: string): KeptInputs | undefined {
  const { inputs, start } = parseFields(readIfThere(filesIn(directory).inputs));
  const { at, uptimeMs } = fieldsOf(start);
  if (typeof at !== 'number' || typeof uptimeMs !== 'number') return undefined;
  return { inputs: textsOf(inputs), start: { at, uptimeMs } };
}

/** The sampler's process ID; undefined if it has signed off. */
export function samplerPid(directory: string): number | undefined {
  return Number(readIfThere(filesIn(directory).pid)) || undefined;
}

const STOPPED = 'stopped';

/** Asks the sampler to end. */
export function requestStop(directory: string): void {
  appendFileSync(filesIn(directory).stop, '', { mode: 0o600 });
}

/** Notes in the same file that a step has judged the monitor, so that its post step need not. */
export function markStopped(directory: string): void {
  writeFileSync(filesIn(directory).stop, STOPPED);
}

export function isStopped(directory: string): boolean {
  return readIfThere(filesIn(directory).stop) === STOPPED;
}

/** One line of a record: stats, a failed sample, or the end. */
export type RecordLine = { readonly at: number } & (
  | { readonly stats: string }
  | { readonly failure: string }
  | { readonly end: string }
);

/** Why a sampler ended that did as it was asked. */
export const ASKED = 'the job asked for it';

/** Adds a line to the record, without the secrets that a service may repeat. */
export function appendLine(directory: string, line: RecordLine, redact: Redact): void {
  const text = redact(JSON.stringify(line));
  appendFileSync(filesIn(directory).record, `${text}\n`, { mode: 0o600 });
}

// 60,000 usual samples; a day has 17,280 of them at the default interval.
const MAX_BYTES = 16 * 1024 * 1024;

export function isFull(directory: string): boolean {
  return statSync(filesIn(directory).record).size >= MAX_BYTES;
}

/** A sample that failed. */
export interface FailedSample {
  readonly at: number;
  readonly message: string;
}

/** What a monitor saw, oldest first. */
export interface MonitorRecord extends Samples {
  readonly failures: readonly FailedSample[];
  /** Why the sampler ended; undefined if it was killed, crashed or hangs. */
  readonly end: string | undefined;
  /** Why the sampler crashed, if it did. */
  readonly crash: string | undefined;
}

/** Reads what was recorded. A sampler that was killed may have left half a line, which is skipped. */
export function readRecord(directory: string): MonitorRecord {
  const { record, errors } = filesIn(directory);
  const lines = readIfThere(record).split('\n').map(parseLine);
  return {
    ...samplesOf(lines.flatMap(({ reading }) => reading ?? [])),
    failures: lines.flatMap(({ failed }) => failed ?? []),
    end: lines.findLast(({ end }) => end !== undefined)?.end,
    crash: readIfThere(errors).trimEnd().split('\n').at(-1)?.trim() || undefined,
  };
}

function parseLine(line: string): { reading?: Reading; failed?: FailedSample; end?: string } {
  const { at, stats, failure, end } = parseFields(line);
  if (typeof at !== 'number') return {};
  const decoded = typeof stats === 'string' ? decodeStats(stats) : undefined;
  if (decoded !== undefined) return { reading: { at, stats: decoded } };
  if (typeof failure === 'string') return { failed: { at, message: failure } };
  return typeof end === 'string' ? { end } : {};
}

/** A time in which nobody saw the sandbox, in milliseconds since 1970. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** Why, as the end of a sentence; empty if nobody knows. */
  readonly why: string;
}

// Runners stall, and so do networks. One answer that takes its ten seconds opens no gap.
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 30_000;

/**
 * The times without a sample of more than ten intervals and 30 s, and the time after the sampler's
 * end.
 */
export function findGaps(
  { samples, end, crash }: Pick<MonitorRecord, 'samples' | 'end' | 'crash'>,
  jobEnd: number,
  intervalMs: number,
): Gap[] {
  const times = samples.map(({ at }) => at);
  const last = times.at(-1) ?? jobEnd;
  const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
  const isLong = ({ from, to }: Gap) => to - from > longest;
  const between = times
    .map((from, index) => ({ from, to: times[index + 1] ?? from, why: '' }))
    .filter(isLong);
  const after = { from: last, to: Math.max(jobEnd, last), why: '' };
  if (end === ASKED) return isLong(after) ? [...between, after] : between;
  const reason = end ?? crash;
  const why =
    reason === undefined ? 'something else ended the monitor' : `the monitor had ended: ${reason}`;
  return [...between, { ...after, why: `, since ${why}` }];
}

/** The text of a file; empty if there is none. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}
