import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { announcement } from '../../src/github/progress.ts';
import { parseUpload } from '../../src/inputs/tasks.ts';
import type { Selection } from '../../src/upload/selection.ts';
import { REQUIRED } from '../inputs/given.ts';
import { file } from '../report/reports.ts';

const TWO: Selection = {
  files: [file('a', 1024), file('b', 512)],
  leftOut: [],
  warnings: [],
  share: undefined,
  elsewhere: [],
  unchanged: new Map(),
};
const SHARE = { index: 2, count: 4, files: 2, planned: 2000 };
const TO = 'to sandbox i1a2b3c4d5 at https://sandbox.example.com';

const LINES: Readonly<Record<string, readonly [Partial<Selection>, string | undefined]>> = {
  'of all files': [{}, `Uploading 2 files (1.5 KiB) ${TO}`],
  'of a share': [{ share: SHARE }, `Uploading 2 files (1.5 KiB) ${TO}, shard 2 of 4: 2 of 2,000 files`],
  'of an empty share': [{ files: [], share: { ...SHARE, files: 0 } }, undefined],
  'of what has changed': [
    { share: SHARE, unchanged: new Map([['app/a', { path: '/app/a', size: 1024, sha256: '' }]]) },
    `Uploading 1 file (512 B) ${TO}, shard 2 of 4: 2 of 2,000 files, 1 unchanged`,
  ],
  'of what has not changed at all': [
    { files: [file('a', 1024)], unchanged: new Map([['app/a', { path: '/app/a', size: 1024, sha256: '' }]]) },
    undefined,
  ],
  'of nothing at all': [{ files: [] }, undefined],
};

describe('the announcement', () => {
  for (const [name, [parts, line]] of Object.entries(LINES)) {
    test(name, () => assert.equal(announcement({ ...TWO, ...parts }, parseUpload(REQUIRED)), line));
  }

  test('of a dry run', () => {
    const task = parseUpload({ ...REQUIRED, 'dry-run': 'true' });
    assert.equal(announcement(TWO, task), `Planning the upload of 2 files (1.5 KiB) ${TO}`);
  });
});
