import assert from 'node:assert/strict';
import { test } from 'node:test';
import { succeeded, type Verdict, verdictOf } from '../../src/report/verdict.ts';
import { judged, type Parts, report } from './build-report.ts';
import { BUSY, failed, notAttempted, skipped, unchanged, uploaded } from './file-results.ts';

const [SENT, GONE, LEFT, SAME, DUE] = [
  uploaded('a', 1024),
  failed('b'),
  notAttempted('c'),
  unchanged('d'),
  skipped('e'),
];
const shard = { index: 2, count: 4, files: 2, planned: 2000 };
const errors = [{ message: 'The stats could not be read.', details: ['Try again.'] }];
const task = 'stats';
const load = (value: number, fail = 'load > 1', warn = 'load > 9') =>
  judged([{ load: value }], [fail], [warn]);
const used = judged([{ cpu_used_pct: 7.5, mem_used_pct: 25 }, { cpu_used_pct: 5 }]);

type Case = readonly [level: Verdict['level'], title: string, parts: Parts];

const CASES: readonly Case[] = [
  ['success', 'Uploaded 2 files in 2 s.', { files: [SENT, SENT] }],
  ['success', 'Uploaded 1 file in 2 s. The gate passed.', { files: [SENT], ...load(0) }],
  [
    'success',
    'Uploaded 1 file in 2 s, 1 unchanged, 1 skipped.',
    { files: [SAME, SENT], skipped: [{ path: 'l', reason: 'a pipe' }] },
  ],
  ['success', 'Nothing was sent, 2 unchanged.', { files: [SAME, SAME] }],
  ['success', 'Uploaded 1 file in 2 s (shard 2 of 4).', { files: [SENT], shard }],
  ['success', 'There were no files to upload (shard 2 of 4).', { shard }],
  [
    'success',
    'Dry run: 1 file (10 B) would be uploaded, 1 unchanged.',
    { dryRun: true, files: [DUE, SAME] },
  ],
  [
    'success',
    'Dry run: 0 files (0 B) would be uploaded, 1 unchanged.',
    { dryRun: true, files: [SAME] },
  ],
  ['success', 'Peak over 2 samples: CPU 7.5 %, memory 25 %.', { task, ...used }],
  ['success', 'The sandbox reports CPU 7.5 %.', { task, ...judged([{ cpu_used_pct: 7.5 }]) }],
  ['success', 'The sandbox reports no CPU, memory or disk usage.', { task, ...judged([{}]) }],
  ['warning', 'There were no files to upload.', {}],
  [
    'warning',
    'Uploaded 1 file in 2 s. The gate warned.',
    { files: [SENT], ...load(1, 'load > 2', 'load > 0') },
  ],
  ['failure', 'Uploaded 1 of 2 files, 1 failed, 1 unchanged.', { files: [SAME, SENT, GONE] }],
  ['failure', 'Uploaded 0 of 2 files, 1 failed, 1 not attempted.', { files: [GONE, LEFT] }],
  ['failure', 'Uploaded 1 of 2 files, 1 not attempted.', { files: [SENT, LEFT] }],
  [
    'failure',
    'Uploaded 1 of 2 files, 1 failed. The gate passed.',
    { files: [SENT, GONE], ...load(0) },
  ],
  [
    'failure',
    'Uploaded 1 of 2 files, 1 failed. The gate failed.',
    { files: [SENT, GONE], ...load(5) },
  ],
  ['failure', 'Uploaded 1 file in 2 s. The gate failed.', { files: [SENT], ...load(5) }],
  ['failure', 'Uploaded 1 file in 2 s.', { files: [SENT], errors }],
  ['failure', 'Uploaded 0 of 1 file, 1 not attempted.', { files: [LEFT], errors }],
  ['failure', 'Nothing was sent.', { errors }],
  ['failure', 'No stats were read.', { task, errors }],
  ['failure', 'No stats were read.', { task, errors, ...load(5), samples: [] }],
  [
    'cancelled',
    'Cancelled. Uploaded 1 of 2 files, 1 not attempted.',
    { files: [SENT, LEFT], cancelled: true, errors },
  ],
  ['cancelled', 'Cancelled. No stats were read.', { task, cancelled: true }],
];

for (const [level, title, parts] of CASES) {
  test(`the verdict is ${level}: ${title}`, () => {
    const given = report(parts);
    const verdict = verdictOf(given);
    assert.deepEqual([verdict.level, verdict.title], [level, title]);
    assert.equal(succeeded(verdict), level === 'success' || level === 'warning');
  });
}

test('a gate without samples gives no reason but the error that says why there are none', () => {
  const unread = { ...judged([], ['load > 1']), errors };
  const { reasons } = verdictOf(report({ task, ...unread }));
  assert.deepEqual(
    reasons.map(({ text }) => text),
    ['The stats could not be read.', 'Try again.'],
  );
});

test('an error does not repeat the hint of a failed file', () => {
  const failing = [{ message: 'GET failed.', details: [BUSY.hint, 'More.'] }];
  const { reasons } = verdictOf(report({ files: [GONE], errors: failing }));
  assert.deepEqual(
    reasons.map(({ text }) => text),
    ['GET failed.', 'More.'],
  );
});
