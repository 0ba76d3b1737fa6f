import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasonLines, withMarkup } from '../../src/report/reason.ts';
import { succeeded, type Verdict, verdictOf } from '../../src/report/verdict.ts';
import { measuredSection, type Parts, report } from '../support/build-report.ts';
import { FAILED, NOT_ATTEMPTED, UNCHANGED, UPLOADED } from '../support/file-results.ts';

const shard = { index: 2, count: 4, files: 2, planned: 2000 };
const errors = [{ reason: [{ text: 'The stats could not be read.' }, { text: 'Try again.' }] }];
const titled = [{ title: 'It was not seen.', reason: [] }];
const task = 'stats';
const load = (value: number, fail = 'load > 1', warn = 'load > 9') =>
  measuredSection([{ load: value }], [fail], [warn]);
const blind = measuredSection([{ cpu_used_pct: 5 }], ['cpu_used_pct > 9'], [], true);

type Cases = readonly (readonly [title: string, parts: Parts])[];

const CASES: Readonly<Record<Verdict['level'], Cases>> = {
  success: [
    ['Uploaded 1 file in 2 s. The gate passed.', { files: [UPLOADED], ...load(0) }],
    [
      'Uploaded 1 file in 2 s, 1 unchanged, 1 skipped.',
      { files: [UNCHANGED, UPLOADED], skipped: [{ path: 'l', reason: 'a pipe' }] },
    ],
    ['Nothing was sent, 2 unchanged.', { files: [UNCHANGED, UNCHANGED] }],
    ['Uploaded 1 file in 2 s (shard 2 of 4).', { files: [UPLOADED], shard }],
    ['There were no files to upload (shard 2 of 4).', { shard }],
    ['There were no files to upload.', {}],
    ['The sandbox reports CPU 7.5 %.', { task, ...measuredSection([{ cpu_used_pct: 7.5 }]) }],
    ['The sandbox reports no CPU, memory or disk usage.', { task, ...measuredSection([{}]) }],
  ],
  warning: [
    ['There were no files to upload.', { warnings: ['No files were found.'] }],
    [
      'The gate warned: `load` 1 > 0. Uploaded 1 file in 2 s.',
      { files: [UPLOADED], ...load(1, 'load > 2', 'load > 0') },
    ],
  ],
  failure: [
    ['Uploaded 1 of 2 files, 1 failed, 1 unchanged.', { files: [UNCHANGED, UPLOADED, FAILED] }],
    ['Uploaded 0 of 2 files, 1 failed, 1 not attempted.', { files: [FAILED, NOT_ATTEMPTED] }],
    ['Uploaded 1 of 2 files, 1 not attempted.', { files: [UPLOADED, NOT_ATTEMPTED] }],
    ['The gate failed: `load` 5 > 1. Uploaded 1 file in 2 s.', { files: [UPLOADED], ...load(5) }],
    [
      'The gate failed: `gpu > 1` cannot be judged.',
      { task, ...measuredSection([{}], ['gpu > 1']) },
    ],
    [
      'The gate failed: CPU mean 6 % > 5 %, CPU max 7 % > 1 %, CPU 7 % > 2 %, and 1 more.',
      {
        task,
        ...measuredSection(
          [{ cpu_used_pct: 5 }, { cpu_used_pct: 7 }],
          ['cpu_used_pct.mean > 5', 'cpu_used_pct.max > 1', 'cpu_used_pct > 2', 'cpu_used_pct > 3'],
        ),
      },
    ],
    ['It was not seen. Nothing was sent.', { files: [NOT_ATTEMPTED], errors: titled }],
    ['It was not seen.', { task, errors: titled }],
    ['Uploaded 1 file in 2 s.', { files: [UPLOADED], errors }],
    ['Nothing was sent.', { files: [NOT_ATTEMPTED], errors }],
    ['Nothing was sent.', { errors }],
    ['No stats were read.', { task, errors, ...load(5), samples: [] }],
  ],
  cancelled: [
    ['Cancelled. The sandbox reports CPU 5 %.', { task, cancelled: true, ...blind }],
    [
      'Cancelled. Uploaded 1 of 2 files, 1 not attempted.',
      { files: [UPLOADED, NOT_ATTEMPTED], cancelled: true, errors },
    ],
    ['Cancelled. No stats were read.', { task, cancelled: true }],
  ],
};

for (const [level, cases] of Object.entries(CASES))
  for (const [title, parts] of cases)
    test(`the verdict is ${level}: ${title}`, () => {
      const verdict = verdictOf(report(parts));
      assert.deepEqual([verdict.level, verdict.title], [level, title]);
      assert.equal(succeeded(verdict), level === 'success' || level === 'warning');
    });

test('a gate without samples gives no reason but the error that says why there are none', () => {
  const unread = { ...measuredSection([], ['load > 1']), errors };
  const { reasons } = verdictOf(report({ task, ...unread }));
  assert.deepEqual(reasons.flatMap(reasonLines), ['The stats could not be read.', 'Try again.']);
});

test('the reasons do not repeat the title of an error', () => {
  const reason = [{ text: 'GET answered 503.' }, withMarkup('Check port.')];
  const error = { title: 'The sandbox was not ready.', reason };
  const { title, reasons } = verdictOf(report({ files: [NOT_ATTEMPTED], errors: [error] }));
  assert.equal(title, 'The sandbox was not ready. Nothing was sent.');
  assert.deepEqual(reasons.flatMap(reasonLines), ['GET answered 503.', 'Check port.']);
});
