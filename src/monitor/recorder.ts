import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { renameFile } from '../files/rename-file.ts';
import type { Stats } from '../stats/stats.ts';
import { filesIn } from './directory.ts';

export const MAX_RECORD_BYTES = 32 * 1024 * 1024;
export const MAX_SAMPLES = 50_000;

/** What happened at a time, in milliseconds since 1970. */
export interface Moment {
  readonly at: number;
  readonly what: string;
}

/** Writes a monitor's record. */
export type Recorder = ReturnType<typeof openRecorder>;

/** Opens a recorder that appends lines of JSON to a monitor's record. */
export function openRecorder(directory: string) {
  const { record, last, ended } = filesIn(directory);
  // Kept open, so that a pipe put in its place later does not block the monitor.
  const file = openSync(record, 'ax', 0o600);
  let bytes = 0;
  let samples = 0;
  let warned = '';
  const write = (line: object) => {
    bytes += writeSync(file, `${JSON.stringify(line)}\n`);
  };
  return {
    start: (at: number) => write({ at, start: '' }),
    sample(at: number, { figures, warnings, json }: Stats) {
      // Renamed, so that it is whole whenever this process is killed.
      writeFileSync(`${last}.new`, json, { mode: 0o600, flag: 'wx' });
      renameFile(`${last}.new`, last);
      samples += 1;
      // A warning is written once as long as it stays the same.
      const warning = warnings.join('\n');
      const isSame = warning === warned;
      write({ at, figures: Object.fromEntries(figures), warning: isSame ? undefined : warning });
      warned = warning;
    },
    gap({ at, what }: Moment) {
      samples += 1;
      write({ at, gap: what });
    },
    end({ at, what }: Moment) {
      write({ at, end: what });
      closeSync(file);
      writeFileSync(ended, '', { mode: 0o600 });
    },
    isFull: () => bytes > MAX_RECORD_BYTES || samples >= MAX_SAMPLES,
  };
}
