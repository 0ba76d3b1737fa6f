import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { decodeStats, type Stats } from '../stats/decode.ts';
import type { Sample } from '../stats/sample.ts';
import { parseFieldsOf, stringifyExactly } from '../text/exact-json.ts';

/** What happened at a time, in milliseconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly what: string;
}

/** All that a monitor wrote down, the oldest first. */
export interface MonitorRecord {
  readonly samples: readonly Sample[];
  /** Readings that failed, and why. */
  readonly gaps: readonly Moment[];
  /** How the monitor ended; undefined where it was killed. */
  readonly end: Moment | undefined;
}

// The files in a monitor's directory.
const RECORD = 'record.jsonl';
const REQUEST = 'end';
const ENDED = 'ended';

// A hostile agent could report names and digits without end, with every sample.
const MAX_FIGURES = 100;
const MAX_NAME = 100;
const MAX_DIGITS = 40;

/** Writes a monitor's record. Nobody else can read it. */
export interface Recorder {
  readonly sample: (at: number, stats: Stats) => void;
  readonly gap: (moment: Moment) => void;
  readonly end: (moment: Moment) => void;
}

/** A recorder that appends to the record in a monitor's directory, a line of JSON for each call. */
export function openRecorder(directory: string): Recorder {
  const write = (line: object) =>
    appendFileSync(path.join(directory, RECORD), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  return {
    // The stats go in as text, so that every digit of them comes out again.
    sample: (at, stats) => write({ at, stats: bounded(stats) }),
    gap: ({ at, what }) => write({ at, gap: what }),
    end: ({ at, what }) => {
      write({ at, end: what });
      touch(path.join(directory, ENDED));
    },
  };
}

/** Reads what was recorded; a line that was not written whole is left out. */
export function readRecord(directory: string): MonitorRecord {
  const file = path.join(directory, RECORD);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text.split('\n').slice(0, -1).map(parseFieldsOf);
  const moments = (name: string) =>
    lines.flatMap(({ at, [name]: what }) => (typeof what === 'string' ? [{ at: Number(at), what }] : []));
  return {
    samples: moments('stats').map(({ at, what }) => ({ at, stats: decodeStats(what) })),
    gaps: moments('gap'),
    end: moments('end').at(-1),
  };
}

/** Asks the monitor in a directory to end. */
export function requestEnd(directory: string): void {
  if (existsSync(directory)) touch(path.join(directory, REQUEST));
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

function touch(file: string): void {
  writeFileSync(file, '', { mode: 0o600 });
}

function bounded({ figures }: Stats): string {
  const kept = [...figures].filter(([name, figure]) => name.length <= MAX_NAME && String(figure).length <= MAX_DIGITS);
  return stringifyExactly(Object.fromEntries(kept.slice(0, MAX_FIGURES)));
}
