import { appendFileSync, createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { renameFile } from '../agent/file.ts';
import { decodeStats, type Stats } from '../stats/decode.ts';
import type { Sample, Samples } from '../stats/sample.ts';
import { parseFieldsOf, stringifyExactly } from '../text/exact-json.ts';

/** What happened at a time, in milliseconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly what: string;
}

/** All that a monitor wrote down, the oldest first. */
export interface MonitorRecord extends Samples {
  /** When the monitor started, in milliseconds since 1970; undefined where it did not come to that. */
  readonly start: number | undefined;
  /** Readings that failed, and why. */
  readonly gaps: readonly Moment[];
  /** How the monitor ended; undefined where it was killed. */
  readonly end: Moment | undefined;
}

// The files in a monitor's directory.
const RECORD = 'record.jsonl';
const LAST = 'last.json';
const REQUEST = 'end';
const ENDED = 'ended';

// Some 100,000 readings of what most agents report; more would take the post step too long to read and to add up.
const MAX_RECORD_BYTES = 32 * 1024 * 1024;
const MAX_RECORD_FIGURES = 1_200_000;

// A hostile agent could give every figure another name; each takes a hundred times as long as one that is known.
const MAX_RECORD_NAMES = 20_000;

/** Writes a monitor's record. */
export type Recorder = ReturnType<typeof openRecorder>;

/** A recorder that appends a line of JSON for each call to the record in a monitor's directory. Nobody else can read it. */
export function openRecorder(directory: string) {
  const [file, last] = [path.join(directory, RECORD), path.join(directory, LAST)];
  let [bytes, count, warned] = [0, 0, ''];
  const names = new Set<string>();
  const write = (line: object) => {
    // Whoever reads it line by line takes these two for the ends of lines as well.
    const text = `${JSON.stringify(line).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
    bytes += Buffer.byteLength(text);
    appendFileSync(file, text, { mode: 0o600 });
  };
  return {
    start: (at: number) => write({ at, start: '' }),
    sample(at: number, { figures, warnings, json }: Stats) {
      // Whole or not at all, whenever this process is killed.
      writeFileSync(`${last}.new`, json, { mode: 0o600 });
      renameFile(`${last}.new`, last);
      const warning = warnings.join('\n');
      // The figures go in as text, so that every digit of them comes out again; a warning once, as long as it is the same.
      const stats = stringifyExactly(Object.fromEntries(figures));
      write({ at, stats, warning: warning === warned ? undefined : warning });
      warned = warning;
      count += figures.size;
      for (const name of figures.keys()) names.add(name);
    },
    gap: ({ at, what }: Moment) => write({ at, gap: what }),
    end({ at, what }: Moment) {
      write({ at, end: what });
      writeFileSync(path.join(directory, ENDED), '', { mode: 0o600 });
    },
    /** Whether it takes no more but its end. */
    isFull: () => bytes > MAX_RECORD_BYTES || count > MAX_RECORD_FIGURES || names.size > MAX_RECORD_NAMES,
  };
}

/** Reads what was recorded, line by line; where one cannot be read, a sample without figures comes last. `judged` are metrics to keep. */
export async function readRecord(directory: string, judged: ReadonlySet<string>): Promise<MonitorRecord> {
  const samples: Sample[] = [];
  const gaps: Moment[] = [];
  const warnings = new Set<string>();
  let stats: Stats | undefined;
  let start: number | undefined;
  let end: Moment | undefined;
  let isWhole = true;
  for await (const line of linesOf(path.join(directory, RECORD))) {
    const fields = parseFieldsOf(line);
    const at = Number(fields['at']);
    isWhole &&= !Number.isNaN(at);
    const [what, gap, ended, warning] = ['stats', 'gap', 'end', 'warning'].map(name => fields[name]);
    if (typeof what === 'string') {
      stats = decodeStats(what, judged);
      samples.push({ at, figures: stats.figures });
    }
    if (typeof warning === 'string' && warning !== '') for (const each of warning.split('\n')) warnings.add(each);
    if (typeof gap === 'string') gaps.push({ at, what: gap });
    if (typeof ended === 'string') end = { at, what: ended };
    if ('start' in fields) start = at;
  }
  const sent = path.join(directory, LAST);
  if (stats !== undefined && existsSync(sent)) stats = { ...stats, json: readFileSync(sent, 'utf8') };
  const last = samples.at(-1);
  if (!isWhole && last !== undefined) samples.push({ at: last.at, figures: new Map() });
  return { samples, stats, warnings: [...warnings], start, gaps, end };
}

async function* linesOf(file: string): AsyncGenerator<string> {
  if (existsSync(file)) yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/** Asks the monitor in a directory to end. */
export function requestEnd(directory: string): void {
  if (existsSync(directory)) writeFileSync(path.join(directory, REQUEST), '', { mode: 0o600 });
}

/** Whether the monitor was asked to end. */
export function isEndRequested(directory: string): boolean {
  return existsSync(path.join(directory, REQUEST));
}

/** Whether nothing more will be recorded. */
export function hasEnded(directory: string): boolean {
  return existsSync(path.join(directory, ENDED)) || !existsSync(directory);
}

/** Removes a monitor's directory. One that should still be running sees that, and ends. */
export function removeRecord(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
