import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { gateOf, judge } from '../../src/gate/judge.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import {
  breachLine,
  breachSentence,
  formatFigure,
  judgementLine,
} from '../../src/report/breaches.ts';
import { notices } from '../../src/report/notices.ts';
import { describeShard, type Report, succeeded } from '../../src/report/report.ts';
import {
  adviceFor,
  failureGroups,
  furtherLines,
  headline,
  reportError,
  waitError,
} from '../../src/report/verdict.ts';
import { figures, parse } from '../gate/given.ts';
import { course } from './courses.ts';
import {
  BUSY,
  FULL,
  failed,
  notAttempted,
  report,
  skipped,
  statsOf,
  unchanged,
  uploaded,
} from './reports.ts';

const [A, B, SENT, GONE, LEFT, SAME, DUE] = [
  uploaded('a', 1024),
  uploaded('b', 1024),
  uploaded('c'),
  failed('d'),
  notAttempted('e'),
  unchanged('f'),
  skipped('g'),
];
const skippedEntries = [{ path: 'l', reason: 'a broken link' }];
const shard = { index: 2, count: 4, files: 2, planned: 2000 };
const errors = [{ message: 'The stats could not be had.', details: ['Try again.'] }];
const task = 'stats';
const samples = course([{ cpu_used_pct: 7.5, mem_total: 4, mem_used: 1 }, { cpu_used_pct: 5 }]);
const rules = { failIf: [parse('load > 1'), parse('load > 3')], warnIf: [parse('load > 2')] };
const gate = (load: number) => ({
  samples: course([{ load }]),
  gate: gateOf(rules, [figures({ load })]),
});
/** A monitor with these loads, one per second from 00:16:40 on. */
const loads = (conditions: string, ...values: readonly number[]): Partial<Report> => {
  const taken = course(values.map(load => ({ load, mem_used_pct: load })));
  const failIf = conditions.split('; ').map(parse);
  return {
    task: 'monitor',
    samples: taken,
    gate: gateOf(
      { failIf, warnIf: [] },
      taken.map(one => one.figures),
    ),
  };
};

type Case = readonly [parts: Partial<Report>, says: string];

const GOOD: readonly Case[] = [
  [{}, 'There were no files to upload.'],
  [{ skipped: skippedEntries }, 'There were no files to upload.'],
  [{ files: [A, B] }, 'Uploaded 2 files (2 KiB) in 2 s.'],
  [{ files: [A], gate: gateOf({ ...rules, failIf: [] }, []) }, 'Uploaded 1 file (1 KiB) in 2 s.'],
  [{ files: [A], ...gate(0) }, 'Uploaded 1 file (1 KiB) in 2 s. The gate passed.'],
  [
    { files: [A], ...gate(2.5), gate: gateOf({ ...rules, failIf: [] }, [figures({ load: 2.5 })]) },
    'Uploaded 1 file (1 KiB) in 2 s. load was at 2.5 (limit 2), so the gate warned.',
  ],
  [
    { files: [SAME, A, SAME], skipped: skippedEntries },
    'Uploaded 1 file (1 KiB) in 2 s, 2 unchanged, 1 skipped.',
  ],
  [
    { files: [SAME, SAME], skipped: skippedEntries },
    'Nothing was sent, 2 files unchanged, 1 skipped.',
  ],
  [{ files: [A, B], shard }, 'Uploaded 2 files (2 KiB) in 2 s (shard 2 of 4).'],
  [{ shard }, 'None of 2,000 files belongs to this shard (shard 2 of 4).'],
  [{ shard: { ...shard, planned: 0 } }, 'There were no files to upload (shard 2 of 4).'],
  [
    { dryRun: true, files: [DUE, DUE] },
    'Dry run: 2 files (20 B) would be uploaded; nothing was sent.',
  ],
  [
    { dryRun: true, files: [DUE, SAME], skipped: skippedEntries },
    'Dry run: 1 file (10 B) would be uploaded, 1 unchanged, 1 skipped; nothing was sent.',
  ],
  [{ dryRun: true, files: [SAME] }, 'Dry run: nothing would be uploaded, 1 file unchanged.'],
  [{ task, samples }, 'Peak over 2 samples: CPU 7.5 %, memory 25 %.'],
  [{ task: 'monitor', samples: samples.slice(1) }, 'The sandbox reports CPU 5 %.'],
  [{ task, samples: course([{ ts: 1 }]) }, 'The sandbox reports no CPU, memory or disk usage.'],
];

const BAD: readonly Case[] = [
  [{ files: [SAME, SENT, GONE] }, 'Uploaded 1 of 2 files; 1 failed, 1 unchanged.'],
  [{ files: [GONE, LEFT, LEFT] }, 'Uploaded 0 of 3 files; 1 failed, 2 not attempted.'],
  [{ files: [LEFT] }, 'Uploaded 0 of 1 file; 1 not attempted.'],
  [{ files: [SENT, GONE], shard }, 'Uploaded 1 of 2 files; 1 failed (shard 2 of 4).'],
  [{ files: Array(12_345).fill(GONE) }, 'Uploaded 0 of 12,345 files; 12,345 failed.'],
  [{ files: [SENT], cancelled: true }, 'Cancelled: uploaded 1 of 1 file.'],
  [
    { files: [SENT, LEFT], cancelled: true, errors },
    'Cancelled: uploaded 1 of 2 files; 1 not attempted.',
  ],
  [{ task, cancelled: true }, 'Cancelled: no stats were read yet.'],
  [{ errors }, 'The stats could not be had.'],
  [{ files: [LEFT], errors }, 'Uploaded 0 of 1 file; 1 not attempted. The stats could not be had.'],
  [{ files: [GONE], errors }, 'Uploaded 0 of 1 file; 1 failed. The stats could not be had.'],
  [
    { files: [SAME, SENT], errors },
    'Uploaded 1 of 1 file; 1 unchanged, but the step failed: The stats could not be had.',
  ],
  [
    { files: [SAME], errors },
    'Nothing was sent, 1 file unchanged, but the step failed: The stats could not be had.',
  ],
  [
    { files: [A], ...gate(2.5) },
    'load was at 2.5 (limit 1), so the gate failed. Uploaded 1 file (1 KiB) in 2 s.',
  ],
  [
    { files: [SENT, GONE], ...gate(9) },
    'load was at 9 (limit 1), and 1 other condition tripped, so the gate failed. Uploaded 1 of 2 files; 1 failed.',
  ],
  [
    { files: [SENT], cancelled: true, ...gate(2) },
    'Cancelled: uploaded 1 of 1 file. load was at 2 (limit 1), so the gate failed.',
  ],
  [
    { ...gate(2), errors },
    'load was at 2 (limit 1), so the gate failed. The stats could not be had.',
  ],
  [{ ...gate(2), samples: [], errors }, 'The stats could not be had.'],
  [
    loads('load > 1; x > 2; y > 3', 0, 5),
    'load peaked at 5 (limit 1) at 00:16:41 UTC, too high in 1 sample, and 2 other conditions tripped, so the gate failed. Peak over 2 samples: memory 5 %.',
  ],
  [loads('y > 3', 0), 'y cannot be judged, so the gate failed. The sandbox reports memory 0 %.'],
];

for (const [what, cases] of [
  ['succeeds', GOOD],
  ['fails', BAD],
] as const) {
  describe(`a run ${what} that says`, () => {
    for (const [parts, says] of cases) {
      test(says, () => {
        assert.equal(headline(report(parts)), says);
        assert.equal(succeeded(report(parts)), what === 'succeeds');
      });
    }
  });
}

const SENTENCES: Readonly<
  Record<string, readonly [conditions: string, loads: readonly number[], sentence: string]>
> = {
  'a peak, when it was and how long too much was used': [
    'mem_used_pct > 80',
    [10, 85, 90, 82, 10, 81, 81],
    'Memory peaked at 90 % (limit 80 %) at 00:16:42 UTC, too high for 3 s',
  ],
  'peaks that no two readings in a row saw': [
    'load.max >= 80',
    [80, 10, 80],
    'load peaked at 80 (limit 80) at 00:16:40 UTC, too high in 2 samples',
  ],
  'a low': ['load < 5', [9, 3, 4], 'load fell to 3 (limit 5) at 00:16:41 UTC, too low for 1 s'],
  'a mean': ['load.mean > 1', [1, 2], 'load averaged 1.5 (limit 1)'],
  'the end': ['load.last > 1', [1, 2], 'load ended at 2 (limit 1)'],
  'one figure': ['load == 2', [1, 2], 'load was at 2 (limit 2) at 00:16:41 UTC in 1 sample'],
  'a single reading': ['mem_used_pct > 1', [2], 'Memory was at 2 % (limit 1 %)'],
};

describe('the sentence on the gate tells of', () => {
  for (const [name, [conditions, values, sentence]] of Object.entries(SENTENCES)) {
    test(name, () =>
      assert.ok(
        headline(report(loads(conditions, ...values))).startsWith(
          `${sentence}, so the gate failed.`,
        ),
      ),
    );
  }
});

const METRICS = {
  mem_free: 'Free memory',
  disk_used: 'Disk',
  disk_free: 'Free disk space',
  mem_used_mib: 'Memory',
};

test('it does not count a time in which nothing was seen', () => {
  const many = loads('load > 80', ...Array.from({ length: 30 }, () => 90));
  const late =
    many.samples?.map((one, index) => (index < 15 ? one : { ...one, at: one.at + 3_600_000 })) ??
    [];
  assert.match(
    headline(report({ ...many, samples: late })),
    /too high for 28 s, so the gate failed/,
  );
});

test('a metric has a name in it, and one that only the agent knows its own', () => {
  for (const [metric, name] of Object.entries({
    ...METRICS,
    cpu_used_pct: 'CPU',
    mem_cache: 'mem_cache',
  })) {
    const judgement = judge(parse(`${metric} < 5${metric.includes('pct') ? '' : 'MiB'}`), [
      figures({ [metric]: 1 }),
    ]);
    assert.match(breachSentence(judgement, []), new RegExp(`^${name} was at`));
  }
});

test('a shard says how much of the plan it has', () => {
  assert.equal(describeShard({ ...shard, files: 1500 }), 'shard 2 of 4: 1,500 of 2,000 files');
});

test('failures that say the same are one group, the largest first, in plan order', () => {
  const other = new AgentError('busy', 'Another message.', { status: 409 });
  const files = [failed('a', FULL), failed('b'), SENT, failed('d', other), LEFT, failed('g')];
  assert.deepEqual(failureGroups(report({ files })), [
    { error: BUSY, sources: ['b', 'g'] },
    { error: FULL, sources: ['a'] },
    { error: other, sources: ['d'] },
  ]);
});

test("a full disk comes with the sandbox's figures, where they are known", () => {
  const stats = statsOf({ disk_used: 2 * 1024 ** 3, disk_total: 2 * 1024 ** 3 });
  assert.equal(
    adviceFor(FULL, report({ stats })),
    `${FULL.hint} Its root file system uses 2 GiB of 2 GiB; the target may be on another.`,
  );
  assert.equal(adviceFor(BUSY, report({ stats })), BUSY.hint);
  for (const known of [{}, { disk_used: 1 }, { disk_total: 1 }])
    assert.equal(adviceFor(FULL, report({ stats: statsOf(known) })), FULL.hint);
});

test('the passed gate is not praised beside lost files', () => {
  const passed = { ...gate(0), files: [SENT, GONE] };
  assert.equal(headline(report(passed)), 'Uploaded 1 of 2 files; 1 failed.');
});

test('the further lines name each condition that tripped, unless the headline does', () => {
  assert.deepEqual(furtherLines(report(gate(2.5))), []);
  assert.deepEqual(furtherLines(report(gate(9))), [
    'load > 1: load was at 9 (limit 1)',
    'load > 3: load was at 9 (limit 3)',
  ]);
  assert.deepEqual(furtherLines(report(loads('y > 3', 0))), [
    'y > 3 cannot be judged: the sandbox does not report y; it reports load, mem_used_pct',
  ]);
});

test('the further lines do not repeat the advice that failed files have', () => {
  const failedStats = [{ message: 'GET failed.', details: [BUSY.hint, 'More.'] }];
  assert.deepEqual(furtherLines(report({ files: [GONE], errors: failedStats })), ['More.']);
  assert.deepEqual(furtherLines(report({ errors: failedStats })), [BUSY.hint, 'More.']);
});

test('the further lines are the details, and whatever else failed', () => {
  const all = [
    { message: 'one', details: ['two', 'three'] },
    { message: 'four', details: ['five'] },
  ];
  assert.deepEqual(furtherLines(report({ errors: all })), ['two', 'three', 'four', 'five']);
});

test('one wrong input is the message, several are counted and listed', () => {
  const port = { input: 'port', message: '"x" is no port.', example: 'port: 1' };
  const line = 'port: "x" is no port. Example: port: 1';
  assert.deepEqual(reportError(new InputError([port])), {
    message: line,
    details: ['Nothing was sent.'],
  });
  assert.deepEqual(reportError(new InputError([port, { input: 'files', message: 'No.' }])), {
    message: '2 inputs are invalid; nothing was sent.',
    details: [line, 'files: No.'],
  });
});

test('a failure of the agent comes with its hint, unless the job was cancelled', () => {
  assert.deepEqual(reportError(BUSY), { message: BUSY.message, details: [BUSY.hint] });
  assert.deepEqual(reportError(new AgentError('cancelled', 'It was.')), {
    message: 'It was.',
    details: [],
  });
});

test('a wait that ended says what did not hold, and the last error; one without hope only that', () => {
  const condition = parse('load < 5');
  const unmet = [
    { condition, holds: undefined, samples: 1, missing: 1, reported: ['ts'] },
  ] as const;
  const end = { held: false, waitedMs: 5000, unmet, error: BUSY } as const;
  const message = 'The sandbox was not ready within 5 s.';
  const line = 'load < 5 cannot be judged: the sandbox does not report load; it reports ts';
  assert.deepEqual(waitError(end), { message, details: [line, BUSY.message, BUSY.hint] });
  assert.deepEqual(waitError({ ...end, error: undefined }), { message, details: [line] });
  const wrong = new AgentError('unauthorized', 'It answered 401.');
  assert.deepEqual(waitError({ ...end, error: wrong }), reportError(wrong));
});

describe('a figure is in units for a reader', () => {
  const bytes = ['mem_total', 'mem_used', 'mem_free', 'disk_total', 'disk_used', 'disk_free'];
  const cases: readonly (readonly [figure: number, text: string, metrics: readonly string[]])[] = [
    [33.333, '33.3 %', ['cpu_used_pct', 'mem_used_pct', 'disk_used_pct']],
    [-2048, '-2 KiB', bytes],
    [1536, '1.5 GiB', ['mem_total_mib', 'mem_used_mib']],
    [2.5, '2.5', ['cpu_count', 'ts', 'load', 'toString']],
  ];
  for (const [figure, text, metrics] of cases) {
    test(text, () => {
      for (const metric of metrics) assert.equal(formatFigure(metric, figure), text);
    });
  }
});

const lines = (condition: string, of: Readonly<Record<string, number>>) => {
  const judgement = judge(parse(condition), [figures(of)]);
  return [breachLine(judgement, []), judgementLine(judgement)];
};

test('a breach says condition, figure and limit; what does not hold says what was seen', () => {
  assert.deepEqual(lines('mem_used_pct.max > 90%', { mem_used_pct: 93.25 }), [
    'mem_used_pct.max > 90%: Memory was at 93.3 % (limit 90 %)',
    'mem_used_pct.max > 90% does not hold: it was 93.3 %',
  ]);
  assert.deepEqual(lines('mem_used_mib >= 2GB', { mem_used_mib: 2048 }), [
    'mem_used_mib >= 2GB: Memory was at 2 GiB (limit 1.9 GiB)',
    'mem_used_mib >= 2GB does not hold: it was 2 GiB',
  ]);
});

test('what cannot be judged says which metrics are reported, or that there are no stats', () => {
  const unknown =
    'mem_cache > 1GiB cannot be judged: the sandbox does not report mem_cache; it reports mem_used, ts';
  assert.deepEqual(lines('mem_cache > 1GiB', { ts: 1, mem_used: 5 }), [unknown, unknown]);
  const nothing = judge(parse('mem_used > 1B'), []);
  assert.equal(breachLine(nothing, []), 'mem_used > 1B cannot be judged: there are no stats');
});

test('many small files that went alone and mostly waited are told how to share requests', () => {
  const alone = (count: number, ms: number, size = 100) =>
    Array.from({ length: count }, (_, index) => ({
      ...uploaded(`${index}`, size),
      durationMs: ms,
    }));
  const told = (files: Report['files'], couldBatch = true) =>
    notices(report({ files, couldBatch, durationMs: 1000 }));
  const [notice = ''] = told(alone(100, 50));
  assert.match(
    notice,
    /^100 small files went out one per request, .* spent waiting\. .* files-per-request: 100 /,
  );
  const others = [
    told(alone(99, 50)),
    told(alone(100, 49)),
    told(alone(100, 50, 50_000)),
    told(alone(100, 50), false),
  ];
  assert.deepEqual(others, [[], [], [], []]);
});
