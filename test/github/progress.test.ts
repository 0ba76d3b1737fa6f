import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import { judge } from '../../src/gate/judge.ts';
import { watchRun } from '../../src/github/observer.ts';
import { type Progress, progressLine } from '../../src/github/progress.ts';
import { waitLog } from '../../src/github/wait-log.ts';
import type { PlannedUpload } from '../../src/run/plan.ts';
import { figures, parse } from '../gate/given.ts';
import { parsed } from '../inputs/given.ts';
import { file } from '../report/reports.ts';

const MIB = 1024 ** 2;
const HALF: Progress = {
  uploaded: 1200,
  failed: 0,
  failedBytes: 0,
  bytes: 50 * MIB,
  stalledMs: 100,
  inFlight: ['a', 'b', 'c'],
  totalFiles: 3000,
  totalBytes: 100 * MIB,
  elapsedMs: 10_000,
};

const LINES: Readonly<Record<string, readonly [Partial<Progress>, string]>> = {
  'in the middle': [{}, '1,200 of 3,000 files, 50 MiB of 100 MiB (50 %), 5 MiB/s, 10 s left'],
  'at the start': [{ uploaded: 0, bytes: 0 }, '0 of 3,000 files, 0 B of 100 MiB (0 %), 0 B/s'],
  'almost done': [
    { uploaded: 2999, bytes: 100 * MIB - 1 },
    '2,999 of 3,000 files, 100 MiB of 100 MiB (99 %), 10 MiB/s, 0 ms left',
  ],
  'with more sent than there is': [
    { uploaded: 3000, bytes: 120 * MIB },
    '3,000 of 3,000 files, 100 MiB of 100 MiB (100 %), 10 MiB/s, 0 ms left',
  ],
  'with empty files alone': [
    { uploaded: 5, bytes: 0, totalFiles: 10, totalBytes: 0 },
    '5 of 10 files, 0 B of 0 B (50 %), 0 B/s, 10 s left',
  ],
  'with one file': [
    { uploaded: 0, bytes: MIB, totalFiles: 1, totalBytes: 4 * MIB, elapsedMs: 40_000 },
    '0 of 1 file, 1 MiB of 4 MiB (25 %), 25.6 KiB/s, 2 min left',
  ],
  'with failures, which need no more time': [
    { failed: 1000, failedBytes: 30 * MIB },
    '1,200 of 3,000 files, 1,000 failed, 50 MiB of 100 MiB (50 %), 5 MiB/s, 2.5 s left',
  ],
  'while nothing moves, of one file': [
    { bytes: 100 * MIB, stalledMs: 12_000, inFlight: ['a'] },
    '1,200 of 3,000 files, 100 MiB of 100 MiB (100 %), waiting for an answer for a for 12 s',
  ],
  'while nothing moves, of several': [
    { stalledMs: 3000 },
    '1,200 of 3,000 files, 50 MiB of 100 MiB (50 %), waiting for an answer for a and 2 more for 3 s',
  ],
  'between two attempts': [
    { stalledMs: 3000, inFlight: [] },
    '1,200 of 3,000 files, 50 MiB of 100 MiB (50 %), waiting for the next attempt for 3 s',
  ],
  'with no file at all': [
    { uploaded: 0, bytes: 0, totalFiles: 0, totalBytes: 0 },
    '0 of 0 files, 0 B of 0 B (0 %), 0 B/s',
  ],
};

describe('the progress line', () => {
  for (const [name, [parts, line]] of Object.entries(LINES)) {
    test(name, () => assert.equal(progressLine({ ...HALF, ...parts }), line));
  }
});

const TWO = [file('a', 1024), file('b', 512)];
const UPLOAD: PlannedUpload = {
  files: TWO,
  unchanged: new Map(),
  shard: undefined,
  state: undefined,
  skipped: [],
  hidden: [],
  orphaned: [],
  warnings: [],
};
const [FIRST] = TWO;
const SHARD = { index: 2, count: 4, files: 2, planned: 2000 };
function unchanged(...files: readonly (PlannedFile | undefined)[]) {
  const known = { path: '/home/user/a', sha256: '' };
  return new Map(files.flatMap(file => (file === undefined ? [] : [[file, known] as const])));
}

const TO = 'to sandbox i1a2b3c4d5 at https://sandbox.example.com';

const ANNOUNCED: Readonly<Record<string, readonly [parts: Partial<PlannedUpload>, line: string]>> =
  {
    'of all files': [{}, `Uploading 2 files (1.5 KiB) ${TO}`],
    'of what has changed of a shard': [
      { shard: SHARD, unchanged: unchanged(FIRST) },
      `Uploading 1 file (512 B) ${TO}, shard 2 of 4: 2 of 2,000 files, 1 unchanged`,
    ],
    'of what has not changed at all, which the verdict says': [
      { unchanged: unchanged(...TWO) },
      '',
    ],
  };

describe('the announcement', () => {
  for (const [name, [parts, line]] of Object.entries(ANNOUNCED)) {
    test(name, t => {
      const observer = watchRun(() => {});
      const write = t.mock.method(process.stdout, 'write', () => true);
      observer.planned({ ...UPLOAD, ...parts }, parsed());
      write.mock.restore();
      assert.equal(
        write.mock.calls
          .map(call => call.arguments[0])
          .join('')
          .trim(),
        line,
      );
    });
  }
});

test('a wait says every 15 s what does not hold, and at the end how long it took', () => {
  const lines: string[] = [];
  const waited = waitLog(line => lines.push(line));
  const busy = [judge(parse('load < 5'), [figures({ load: 9 })])];
  const error = new AgentError('busy', 'GET answered 503.');
  const looks = [
    { waitedMs: 1000, unmet: busy, error: undefined },
    { waitedMs: 16_000, unmet: busy, error: undefined },
    { waitedMs: 20_000, unmet: busy, error: undefined },
    { waitedMs: 31_000, unmet: [], error },
  ];
  for (const look of looks) waited({ held: false, ...look });
  waited({ held: true, waitedMs: 32_000, unmet: [], error: undefined });
  assert.deepEqual(lines, [
    'Waited 16 s: load < 5 does not hold: it was 9',
    'Waited 31 s: GET answered 503.',
    'The sandbox was ready after 32 s',
  ]);
});
