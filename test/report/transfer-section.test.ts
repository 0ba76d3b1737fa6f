import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport } from '../../src/report/render.ts';
import { linesOf } from '../../src/report/section.ts';
import { digestOf } from '../../src/upload/upload.ts';
import { report } from '../support/build-report.ts';
import {
  BUSY,
  diskFull,
  EVERY_STATUS,
  failed,
  NOT_ATTEMPTED,
  UNCHANGED,
  UPLOADED,
} from '../support/file-results.ts';

test('failures are grouped by cause and advice, the largest group first, with at most three names', () => {
  const full = Array.from({ length: 11 }, (_, index) => failed(`f${index}`, diskFull(`f${index}`)));
  const lost = failed('b', { ...BUSY, kind: 'connection' });
  const files = [failed('a'), UPLOADED, ...full, lost];
  const [, ...failures] = renderReport(report({ files })).problems;
  const { message, hint } = diskFull('f0');
  const names = 'Files: `f0`, `f1`, `f2`, and 8 more.';
  assert.deepEqual(failures.map(linesOf), [
    ["11 files: the sandbox's disk is full", message, hint, names],
    [
      '1 file: the sandbox or its service is busy, or not ready',
      BUSY.message,
      BUSY.hint,
      'Files: `a`.',
    ],
    ['1 file: the connection failed', BUSY.message, BUSY.hint, 'Files: `b`.'],
  ]);
});

test('files that failed because the job was cancelled are not listed as failures', () => {
  const files = [failed('a', { ...BUSY, kind: 'cancelled' })];
  assert.deepEqual(renderReport(report({ files, cancelled: true })).problems, []);
});

test('the log lists files by status, failures first', () => {
  assert.deepEqual(renderReport(report(EVERY_STATUS)).fileLines, [
    'failed: b → /home/user/app/b',
    'not attempted: d → /home/user/app/d',
    'uploaded: a → /home/user/app/a',
    'uploaded: f → /home/user/app/f',
    'would be uploaded: c → /home/user/app/c',
    'unchanged: e → /home/user/app/e',
    'skipped: l (a broken link)',
  ]);
});

test('an incomplete or empty build has no digest', () => {
  for (const files of [[], [UNCHANGED, NOT_ATTEMPTED]]) assert.equal(digestOf(files), '');
});
