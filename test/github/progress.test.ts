import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Progress, progressLine, watchTransfer } from '../../src/github/progress.ts';
import type { Selection } from '../../src/upload/selection.ts';
import { parsed } from '../inputs/given.ts';
import { file } from '../report/reports.ts';

const MIB = 1024 ** 2;
const HALF: Progress = {
  files: 1200,
  failed: 0,
  failedBytes: 0,
  bytes: 50 * MIB,
  totalFiles: 3000,
  totalBytes: 100 * MIB,
  elapsedMs: 10_000,
};

const LINES: Readonly<Record<string, readonly [Partial<Progress>, string]>> = {
  'in the middle': [{}, '1,200 of 3,000 files, 50 MiB of 100 MiB (50 %), 5 MiB/s, 10 s left'],
  'at the start': [{ files: 0, bytes: 0 }, '0 of 3,000 files, 0 B of 100 MiB (0 %), 0 B/s'],
  'almost done': [
    { files: 2999, bytes: 100 * MIB - 1 },
    '2,999 of 3,000 files, 100 MiB of 100 MiB (99 %), 10 MiB/s, 0 ms left',
  ],
  'with more sent than there is': [
    { files: 3000, bytes: 120 * MIB },
    '3,000 of 3,000 files, 100 MiB of 100 MiB (100 %), 10 MiB/s, 0 ms left',
  ],
  'with empty files alone': [
    { files: 5, bytes: 0, totalFiles: 10, totalBytes: 0 },
    '5 of 10 files, 0 B of 0 B (50 %), 0 B/s, 10 s left',
  ],
  'with one file': [
    { files: 0, bytes: MIB, totalFiles: 1, totalBytes: 4 * MIB, elapsedMs: 40_000 },
    '0 of 1 file, 1 MiB of 4 MiB (25 %), 25.6 KiB/s, 2 min left',
  ],
  'with failures, which need no more time': [
    { failed: 1000, failedBytes: 30 * MIB },
    '1,200 of 3,000 files, 1,000 failed, 50 MiB of 100 MiB (50 %), 5 MiB/s, 2.5 s left',
  ],
  'with no file at all': [
    { files: 0, bytes: 0, totalFiles: 0, totalBytes: 0 },
    '0 of 0 files, 0 B of 0 B (0 %), 0 B/s',
  ],
};

describe('the progress line', () => {
  for (const [name, [parts, line]] of Object.entries(LINES)) {
    test(name, () => assert.equal(progressLine({ ...HALF, ...parts }), line));
  }
});

const TWO = [file('a', 1024), file('b', 512)];
const SELECTION: Selection = {
  files: TWO,
  due: TWO,
  unchanged: new Map(),
  share: undefined,
  state: undefined,
  leftOut: [],
  hidden: [],
  gone: [],
  warnings: [],
};
const SAME = new Map([['app/a', { path: '/app/a', size: 1024, sha256: '' }]]);
const SHARE = { index: 2, count: 4, files: 2, planned: 2000 };
const TO = 'to sandbox i1a2b3c4d5 at https://sandbox.example.com';

const ANNOUNCED: Readonly<Record<string, readonly [parts: Partial<Selection>, line: string]>> = {
  'of all files': [{}, `Uploading 2 files (1.5 KiB) ${TO}`],
  'of what has changed of a share': [
    { share: SHARE, due: TWO.slice(1), unchanged: SAME },
    `Uploading 1 file (512 B) ${TO}, shard 2 of 4: 2 of 2,000 files, 1 unchanged`,
  ],
  'of what has not changed at all, which the verdict says': [{ due: [], unchanged: SAME }, ''],
};

describe('the announcement', () => {
  for (const [name, [parts, line]] of Object.entries(ANNOUNCED)) {
    test(name, t => {
      const { observer, stop } = watchTransfer();
      const write = t.mock.method(process.stdout, 'write', () => true);
      observer.planned({ ...SELECTION, ...parts }, parsed());
      write.mock.restore();
      stop();
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
