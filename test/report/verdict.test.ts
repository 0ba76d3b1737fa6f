import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { judge } from '../../src/gate/judge.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { formatFigure, judgementLine } from '../../src/report/figures.ts';
import { toReportedError, waitError } from '../../src/report/reported-error.ts';
import { succeeded, type Verdict, verdictOf } from '../../src/report/verdict.ts';
import {
  BUSY,
  failed,
  full,
  judged,
  notAttempted,
  type Parts,
  parse,
  report,
  skipped,
  unchanged,
  uploaded,
} from './reports.ts';

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

describe('a run ends with', () => {
  for (const [level, title, parts] of CASES) {
    test(`${level}: ${title}`, () => {
      const given = report(parts);
      const verdict = verdictOf(given);
      assert.deepEqual([verdict.level, verdict.title], [level, title]);
      assert.equal(succeeded(verdict), level === 'success' || level === 'warning');
    });
  }
});

/** Conditions, the loads of samples from 09:05:00 UTC on, and what is said of them. */
const BREACHES: readonly (readonly [string, readonly number[], string])[] = [
  ['load > 80', [90.2], '`load > 80` tripped: 90.2'],
  ['load > 80', [10, 85, 90, 10], '`load > 80` tripped: 90 at 09:05:02 UTC, in 2 of 4 samples'],
  ['load >= 80', [80, 10], '`load >= 80` tripped: 80 at 09:05:00 UTC, in 1 of 2 samples'],
  ['load < 5', [9, 3, 4], '`load < 5` tripped: 3 at 09:05:01 UTC, in 2 of 3 samples'],
  ['load <= 3', [9, 3, 4], '`load <= 3` tripped: 3 at 09:05:01 UTC, in 1 of 3 samples'],
  ['load == 2', [1, 2], '`load == 2` tripped: 2 at 09:05:01 UTC, in 1 of 2 samples'],
  ['load != 1', [1, 2], '`load != 1` tripped: 2 at 09:05:01 UTC, in 1 of 2 samples'],
  ['load.max > 1', [1, 2], '`load.max > 1` tripped: 2 at 09:05:01 UTC'],
  ['load.last > 0', [1, 2, 1], '`load.last > 0` tripped: 1 at 09:05:02 UTC'],
  ['load.mean > 1', [1, 2], '`load.mean > 1` tripped: 1.5 on average of 2 samples'],
];

describe('a gate that tripped says', () => {
  for (const [condition, loads, line] of BREACHES) {
    test(line, () => {
      const readings = loads.map(value => ({ load: value }));
      const failing = verdictOf(report({ task, ...judged(readings, [condition]) }));
      const warning = verdictOf(report({ task, ...judged(readings, [], [condition]) }));
      assert.deepEqual(
        failing.reasons.map(({ text }) => text),
        [line],
      );
      assert.deepEqual(
        warning.warnings.map(({ text }) => text),
        [line],
      );
    });
  }

  test('nothing without samples, since an error says why there are none', () => {
    const unread = { ...judged([], ['load > 1']), errors };
    const { reasons } = verdictOf(report({ task, ...unread }));
    assert.deepEqual(
      reasons.map(({ text }) => text),
      ['The stats could not be read.', 'Try again.'],
    );
  });
});

test('failures are grouped by status and hint, the largest group first', () => {
  const unreachable = { ...BUSY, status: undefined };
  const files = [
    failed('a'),
    failed('b', full('b')),
    SENT,
    failed('c', full('c')),
    failed('d', unreachable),
  ];
  const { failures } = verdictOf(report({ files }));
  assert.deepEqual(failures, [
    { message: full('b').message, hint: full('b').hint, sources: ['b', 'c'] },
    { message: BUSY.message, hint: BUSY.hint, sources: ['a'] },
    { message: BUSY.message, hint: BUSY.hint, sources: ['d'] },
  ]);
});

test('files that failed since the job was cancelled need no advice', () => {
  const files = [failed('a', { ...BUSY, kind: 'cancelled' })];
  assert.deepEqual(verdictOf(report({ files, cancelled: true })).failures, []);
});

test('files that were not attempted say why, unless an error does', () => {
  const textsOf = (parts: Parts) =>
    verdictOf(report({ files: [LEFT, LEFT], ...parts })).reasons.map(({ text }) => text);
  assert.deepEqual(textsOf({}), ['Not attempted: the sandbox was not ready']);
  assert.deepEqual(textsOf({ errors }), ['The stats could not be read.', 'Try again.']);
  assert.deepEqual(textsOf({ cancelled: true }), []);
});

test('errors do not repeat the advice that failed files have', () => {
  const failing = [{ message: 'GET failed.', details: [BUSY.hint, 'More.'] }];
  const { reasons } = verdictOf(report({ files: [GONE], errors: failing }));
  assert.deepEqual(
    reasons.map(({ text }) => text),
    ['GET failed.', 'More.'],
  );
});

test('the upload is one line, with the retries of its requests', () => {
  const many = Array.from({ length: 2000 }, () => uploaded('a', 4096));
  const line = (files: Parts['files'], retries = 0) => {
    const parts = { task: 'upload', ...(files && { files }), retries, durationMs: 310 } as const;
    return verdictOf(report(parts)).sections[0]?.logLines[0] ?? '';
  };
  assert.equal(line(many), '2,000 files, 7.8 MiB, 25.2 MiB/s');
  assert.equal(line([uploaded('a')], 1), '1 file, 10 B, 32.3 B/s, 1 retry');
  assert.equal(line([SENT, GONE], 2), '1 file, 1 KiB, 3.2 KiB/s, 2 retries');
  assert.equal(line([GONE], 2), '');
});

describe('a notice tells of', () => {
  const noticeOf = (parts: Parts) => verdictOf(report(parts)).notices.join('\n');

  test('programs, which lose their modes', () => {
    const program = { ...SENT, file: { ...SENT.file, isExecutable: true } };
    assert.match(noticeOf({ files: [program] }), /^1 executable file, such as `a`: .*archive/);
    assert.equal(noticeOf({ files: [{ ...SAME, file: program.file }] }), '');
  });

  test('files that are no longer in the build', () => {
    const orphaned = Array.from({ length: 12 }, (_, index) => `/${index}`);
    assert.match(noticeOf({ orphaned }), /^Still in the sandbox, .*: `\/0`, .* and 2 more/);
  });
});

describe('an error says', () => {
  test('what is wrong with one input, or with several', () => {
    const port = { input: 'port', message: '"x" is no port.', example: 'port: 1' };
    const line = 'port: "x" is no port. Example: port: 1';
    assert.deepEqual(toReportedError(new InputError([port])), { message: line, details: [] });
    const both = toReportedError(new InputError([port, { input: 'files', message: 'No.' }]));
    assert.deepEqual(both, { message: '2 inputs are invalid.', details: [line, 'files: No.'] });
  });

  test('what to do about a failure, unless the job was cancelled', () => {
    const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
    assert.deepEqual(toReportedError(busy), { message: 'It answered 429.', details: ['Wait.'] });
    assert.deepEqual(toReportedError(new AgentError('cancelled', 'No.')).details, []);
  });

  test('where the bug is', () => {
    const { message, details } = toReportedError(new TypeError('oops'));
    assert.match(message, /bug/);
    assert.match(details.join('\n'), /oops[\s\S]*verdict\.test/);
  });

  test('what a wait still waited for, and why the last sample failed', () => {
    const busy = new AgentError('busy', 'It answered 429.', { hint: 'Wait.' });
    const unmet = [judge(parse('load < 5'), [{ figures: new Map([['load', 7]]) }])];
    const wait = { isReady: false, waitedMs: 5000, unmet, error: busy };
    assert.deepEqual(waitError(wait), {
      message: 'The sandbox was not ready within 5 s.',
      details: ['`load < 5` does not hold: it was 7', 'It answered 429.', 'Wait.'],
    });
    const refused = new AgentError('unauthorized', 'It answered 401.');
    assert.deepEqual(waitError({ ...wait, error: refused }), toReportedError(refused));
  });
});

test('a figure has the unit of its metric', () => {
  const cases: readonly (readonly [metric: string, figure: number, text: string])[] = [
    ['cpu_used_pct', 33.333, '33.3 %'],
    ['mem_free', -2048, '-2 KiB'],
    ['mem_cache', 1024, '1 KiB'],
    ['mem_total_mib', 1536, '1.5 GiB'],
    ['load', 2.5, '2.5'],
    ['toString', 1, '1'],
  ];
  for (const [metric, figure, text] of cases) assert.equal(formatFigure(metric, figure), text);
});

test('a condition that cannot be judged says so to a wait', () => {
  assert.match(judgementLine(judge(parse('load < 5'), [])), /^`load < 5` cannot be judged: /);
});
