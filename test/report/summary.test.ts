import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { gateOf } from '../../src/gate/judge.ts';
import { html, prose } from '../../src/report/html.ts';
import type { Report } from '../../src/report/report.ts';
import { sizeFor } from '../../src/report/stats-section.ts';
import { summary } from '../../src/report/summary.ts';
import { figures, parse } from '../gate/given.ts';
import { blocksOf, checkBlocks, textOf } from './blocks.ts';
import { course, cpuCourse, type Reading } from './courses.ts';
import {
  BUSY,
  EVERY_END,
  FULL,
  failed,
  notAttempted,
  report,
  skipped,
  statsOf,
  uploaded,
} from './reports.ts';

function summaryOf(parts: Partial<Report> = {}): string {
  const text = summary(report(parts));
  checkBlocks(text);
  return text;
}

/** The cells of each row in the block that contains `word`. */
function rowsOf(text: string, word: string): string[][] {
  const block = blocksOf(text).find(candidate => candidate.includes(word)) ?? '';
  const rows = [...block.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) => row);
  return rows.map(row =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => textOf(cell)),
  );
}

describe('the verdict comes first', () => {
  const error = { message: 'The <input> is wrong.', details: [] };
  const [load] = [parse('load > 5')];
  const tripped = {
    samples: course([{ load: 9 }]),
    gate: gateOf({ failIf: [load], warnIf: [] }, [figures({ load: 9 })]),
  };
  const gate = 'load was at 9 (limit 5), so the gate failed.';
  const cases: readonly (readonly [
    parts: Partial<Report>,
    verdict: string,
    ...others: string[],
  ])[] = [
    [{ files: [uploaded('a')] }, '✅ Sandbox Sync (i1a2b3): Uploaded 1 file (10 B) in 2 s.'],
    [
      { files: [failed('a')] },
      '❌ Sandbox Sync (i1a2b3): Uploaded 0 of 1 file; 1 failed.',
      'What failed',
    ],
    [
      { files: [failed('a')], ...tripped },
      `❌ Sandbox Sync (i1a2b3): ${gate}`,
      'Uploaded 0 of 1 file; 1 failed.',
      'What failed',
    ],
    [
      { files: [notAttempted('a')], cancelled: true },
      '⛔ Sandbox Sync (i1a2b3): Cancelled: uploaded 0 of 1 file; 1 not attempted.',
    ],
    [{ errors: [error] }, '❌ Sandbox Sync (i1a2b3): The <input> is wrong.'],
    [{ sandboxId: '', errors: [error] }, '❌ Sandbox Sync: The <input> is wrong.'],
    [{}, '⚠️ Sandbox Sync (i1a2b3): There were no files to upload.'],
    [
      { task: 'stats', samples: tripped.samples },
      '✅ Sandbox Sync (i1a2b3): The sandbox reports no CPU, memory or disk usage.',
    ],
  ];
  for (const [parts, ...shown] of cases) {
    test(shown.join(' '), () => {
      const blocks = blocksOf(summaryOf(parts));
      assert.match(blocks[0] ?? '', /^<h3>.*<\/h3>$/);
      assert.deepEqual(blocks.slice(0, shown.length).map(textOf), shown);
    });
  }
});

const GIB = 1024 ** 3;
const FULL_SAMPLE = {
  cpu_count: 4,
  cpu_used_pct: 12.5,
  mem_total: 4 * GIB,
  mem_used: GIB,
  disk_total: 1000,
  disk_used: 995,
};

const STATS: Readonly<
  Record<
    string,
    readonly [
      readings: readonly Reading[],
      conditions: readonly string[],
      rows: readonly string[][],
    ]
  >
> = {
  'one sample': [
    [FULL_SAMPLE],
    [],
    [
      ['', 'Now'],
      ['CPU (4 cores)', '12.5 %'],
      ['Memory (4.0 GiB)', '1.0 GiB (25.0 %)'],
      ['Disk (1.0 KiB)', '995 B (99.5 %)'],
    ],
  ],
  'several, with their limits, and the mark of the worst condition beside the figure': [
    [
      { cpu_count: 1, cpu_used_pct: 250, disk_used: 0, disk_total: 0, load: 3 },
      { cpu_count: 1, cpu_used_pct: 50, mem_used: 5, load: 1 },
    ],
    ['cpu_used_pct > 90', 'cpu_used_pct.min < 9', 'load > 5', 'load.min > 3', 'x > 1'],
    [
      ['', 'Peak', 'Limit', 'Mean'],
      ['CPU (1 core)', '❌ 250.0 %', '❌ 90 %min. 9 %', '150.0 %'],
      ['Memory', '5 B', '', '5 B'],
      ['load', '✅ 3', '5min 3', '2'],
      ['x', '❌ not reported', '1', ''],
    ],
  ],
  'limits of each kind': [
    [{ mem_total: 4 * GIB, mem_used: 3 * GIB, a: 1, b: 1, c: 1 }],
    [
      'mem_used_pct > 90',
      'mem_free < 2GiB',
      'mem_used_mib >= 2000',
      'a == 1',
      'b != 1',
      'c.max == 4',
    ],
    [
      ['', 'Now', 'Limit'],
      ['Memory (4.0 GiB)', '❌ 3.0 GiB (75.0 %)', '90 %❌ min. 2 GiB free❌ 2 GiB'],
      ['a', '❌ 1', 'not 1'],
      ['b', '✅ 1', 'only 1'],
      ['c', '✅ 1', 'max not 4'],
    ],
  ],
  'nothing that is known': [[{ ts: 5 }], [], []],
};

describe('the stats are one table of', () => {
  for (const [name, [readings, conditions, rows]] of Object.entries(STATS)) {
    test(name, () => {
      const samples = course(readings);
      const failIf = conditions.map(parse);
      const gate = gateOf(
        { failIf, warnIf: [] },
        samples.map(one => one.figures),
      );
      assert.deepEqual(rowsOf(summaryOf({ samples, gate }), '<table>'), rows);
    });
  }

  test('no more than 30 conditions', () => {
    const many = Array.from({ length: 40 }, (_, index) => parse(`load > ${index}`));
    const samples = course([{ load: 99 }]);
    const text = summaryOf({
      samples,
      gate: gateOf({ failIf: many, warnIf: [] }, [figures({ load: 99 })]),
    });
    assert.equal(text.match(/❌&nbsp;\d+(?=<br>|<)/g)?.length, 1 + 30);
  });
});

test('a condition that warns and one that cannot be judged are marked, with the reason', () => {
  const [failIf, warnIf] = [[parse('x > 5')], [parse('load > 1')]];
  const text = summaryOf({
    samples: course([{ load: 9 }]),
    gate: gateOf({ failIf, warnIf }, [figures({ load: 9 })]),
  });
  assert.deepEqual(rowsOf(text, 'Limit').slice(1), [
    ['x', '❌ not reported', '5'],
    ['load', '⚠️ 9', '1 (warn)'],
  ]);
  assert.match(
    text,
    /<li>x <code>&gt; 5<\/code> cannot be judged: the sandbox does not report x; it reports load<\/li>/,
  );
});

const MIB = 1024 ** 2;

describe('a sandbox that would have been enough', () => {
  const sizes: readonly (readonly [peakMib: number, sizeMib: number])[] = [
    [0, 512],
    [409.6, 512],
    [410, 768],
    [614.4, 768],
    [615, 1024],
    [922, 1536],
    [1228.8, 1536],
    [1229, 2048],
    [100_000, 131_072],
  ];
  for (const [peak, size] of sizes) {
    test(`with a peak of ${peak} MiB has ${size} MiB`, () =>
      assert.equal(sizeFor(peak * MIB), size * MIB));
  }

  const readings = (count: number, mem_total: number) =>
    course(
      Array.from({ length: count }, (_, index) => ({
        mem_total,
        mem_used: (index === 3 ? 922 : 100) * MIB,
      })),
    );
  const error = { message: 'The sandbox was not seen.', details: [] };
  const cases: Readonly<Record<string, readonly [parts: Partial<Report>, says: boolean]>> = {
    'for a monitor': [{ samples: readings(10, 4 * GIB) }, true],
    'not where it is no smaller': [{ samples: readings(10, 1.5 * GIB) }, false],
    'not for a few readings': [{ samples: readings(9, 4 * GIB) }, false],
    'not for another action': [{ samples: readings(10, 4 * GIB), task: 'stats' }, false],
    'not where some time was not seen': [
      { samples: readings(10, 4 * GIB), errors: [error] },
      false,
    ],
    'not where the job was cancelled': [{ samples: readings(10, 4 * GIB), cancelled: true }, false],
  };
  for (const [name, [parts, says]] of Object.entries(cases)) {
    test(`is named ${name}`, () => {
      const text = summary(report({ task: 'monitor', ...parts }));
      assert.equal(
        text.includes(
          '<p>Peak 922 MiB of 4 GiB: a sandbox with 1.5 GiB would have been enough.</p>',
        ),
        says,
      );
    });
  }
});

test('ten readings stand in a chart, below the table', () => {
  const text = summary(report({ samples: cpuCourse(Array.from({ length: 10 }, () => 1)) }));
  assert.match(text, /<\/table>\n\n<p>In percent: 🟦 CPU<\/p>\n\n```mermaid\n/);
  assert.doesNotMatch(
    summaryOf({ samples: cpuCourse(Array.from({ length: 9 }, () => 1)) }),
    /mermaid/,
  );
});

test('the upload has its figures, and where the time went, but nothing that is zero', () => {
  const lost = [...Array(3).fill(failed('g')), ...Array(4).fill(notAttempted('h'))];
  const files = [...EVERY_END.files, uploaded('i', 2 * MIB - 12), ...lost];
  const durations = { search: 80, wait: 61_000, stats: 1500 };
  assert.deepEqual(
    rowsOf(summaryOf({ ...EVERY_END, files, durationMs: 4000, durations }), 'Rate'),
    [
      ['Upload', ''],
      ['Uploaded', '3'],
      ['Size', '2 MiB'],
      ['Rate', '512 KiB/s'],
      ['Unchanged', '1'],
      ['Failed', '4'],
      ['Not attempted', '5'],
      ['Skipped', '2'],
      ['Retries', '8'],
      ['Searching', '80 ms'],
      ['Waiting', '1 min 1 s'],
      ['Uploading', '4 s'],
      ['Sampling', '1.5 s'],
    ],
  );
  assert.deepEqual(
    rowsOf(summaryOf({ files: Array(1200).fill(uploaded('a')), durations: { wait: 0 } }), 'Rate'),
    [
      ['Upload', ''],
      ['Uploaded', '1,200'],
      ['Size', '11.7 KiB'],
      ['Rate', '5.9 KiB/s'],
      ['Uploading', '2 s'],
    ],
  );
  assert.deepEqual(rowsOf(summaryOf({ files: [skipped('a')], dryRun: true }), 'Uploading'), []);
});

test('details of errors come before the figures, warnings after them, not too many, and the way to the documents last', () => {
  const errors = [{ message: 'No stats.', details: ['Try again.'] }];
  const warnings = Array.from({ length: 40 }, (_, index) => `warning ${index}`);
  const [, details, table, list, last] = blocksOf(
    summaryOf({ errors, warnings, samples: course([FULL_SAMPLE]), files: [], task: 'stats' }),
  );
  assert.equal(textOf(details ?? '').trim(), 'Try again.');
  assert.match(table ?? '', /^<table>/);
  const more = 'and 10 more; the report file has them all';
  assert.deepEqual(
    textOf(list ?? '')
      .trim()
      .split('\n'),
    [...warnings.slice(0, 30), more],
  );
  const links = 'How to read this · What the messages mean';
  assert.equal(textOf(last ?? ''), `Sandbox i1a2b3 at https://sandbox.example.com · ${links}`);
  assert.equal(textOf(blocksOf(summaryOf({ sandboxId: '' })).at(-1) ?? ''), links);
});

test('failures stand with their reasons, what to do, their folders and a few files', () => {
  const files = [
    failed('a', FULL),
    ...Array.from({ length: 12 }, (_, index) => failed(`${index < 9 ? 'd/e' : 'f'}/b${index}`)),
  ];
  const stats = statsOf({ disk_used: 1024, disk_total: 1024 });
  const blocks = blocksOf(summaryOf({ files, stats }));
  const [, busy, full] = blocks[blocks.indexOf('<h4>What failed</h4>') + 1]?.split('<li>') ?? [];
  const linesOf = (item = '') => item.split('<br>').map(line => textOf(line).trim());
  assert.deepEqual(linesOf(busy), [
    BUSY.message,
    BUSY.hint,
    'd/e: 9 files, f: 3 files',
    'd/e/b0, d/e/b1, d/e/b2, d/e/b3, d/e/b4, and 7 more; the report file has them all',
  ]);
  assert.deepEqual(linesOf(full), [
    FULL.message,
    `${FULL.hint} Its root file system uses 1 KiB of 1 KiB; the target may be on another.`,
    'a',
  ]);
});

test('what was skipped stands with its reason', () => {
  const entries = Array.from({ length: 32 }, (_, index) => ({
    path: `l ${index}`,
    reason: 'a pipe',
  }));
  const blocks = blocksOf(summaryOf({ skipped: entries }));
  const lines = textOf(blocks[blocks.indexOf('<h4>What was skipped</h4>') + 1] ?? '')
    .trim()
    .split('\n');
  assert.deepEqual(
    [lines[0], ...lines.slice(30)],
    ['"l 0": a pipe', 'and 2 more; the report file has them all'],
  );
});

test('the folders, the ten largest and the ten slowest files are folded', () => {
  const timed = (index: number) => ({
    ...uploaded(`d/${index}`, 100 + index),
    durationMs: (index * 7) % 20,
  });
  const files = [
    uploaded('e/big', 2048),
    ...Array.from({ length: 20 }, (_, index) => timed(index)),
    failed('b'),
  ];
  const text = summaryOf({ files });
  const block = blocksOf(text).at(-2) ?? '';
  assert.match(block, /^<details><summary>21 files<\/summary>\n<table>[\s\S]*<\/details>$/);
  const rows = rowsOf(text, '<details>');
  assert.deepEqual(rows.slice(0, 5), [
    ['Folder', 'Files', 'Size'],
    ['d', '20', '2.1 KiB'],
    ['e', '1', '2.0 KiB'],
    ['Largest', 'Size', 'Time', 'In the sandbox'],
    ['e/big', '2.0 KiB', '5 ms', '/home/user/app/e/big'],
  ]);
  assert.deepEqual(rows.slice(14, 16), [
    ['Slowest', 'Size', 'Time', 'In the sandbox'],
    ['d/17', '117 B', '19 ms', '/home/user/app/d/17'],
  ]);
  assert.equal(rows.length, 3 + 11 + 11);
});

test('the tables of files leave out what repeats', () => {
  const headings = (files: Report['files']) =>
    rowsOf(summaryOf({ files }), '<details>').flatMap(([first = '', second]) =>
      second === 'Size' || second === 'Files' ? [first] : [],
    );
  assert.deepEqual(headings([uploaded('d/a'), uploaded('d/b')]), ['File']);
  assert.deepEqual(headings([uploaded('d/a'), uploaded('e/b')]), ['Folder', 'File']);
  const batch = Array.from({ length: 20 }, (_, index) => uploaded(`d/${index}`));
  assert.deepEqual(headings(batch), ['Largest']);
  const [first, ...others] = batch;
  assert.ok(first?.status === 'uploaded');
  const text = summaryOf({ files: [{ ...first, durationMs: 9 }, ...others] });
  const rows = rowsOf(text, '<details>');
  const slowest = rows.slice(rows.findIndex(([heading]) => heading === 'Slowest') + 1);
  assert.deepEqual(
    slowest.map(([name, , time]) => [name, time]),
    [
      ['d/0', '9 ms'],
      ['d/1', '5 ms'],
    ],
  );
});

test('a dry run shows where each file would go, not folded', () => {
  const files = [skipped('c'), notAttempted('d'), ...Array(60).fill(skipped('e'))];
  const text = summaryOf({ files, dryRun: true });
  const rows = rowsOf(text, 'In the sandbox');
  assert.deepEqual(rows.slice(0, 2), [
    ['File', 'Size', 'In the sandbox'],
    ['c', '10 B', 'app/c'],
  ]);
  assert.equal(rows.length, 52);
  assert.equal(rows.at(-1)?.[0], 'and 11 more; the report file has them all');
  assert.doesNotMatch(text, /<details>/);
});

test('no table has more than four columns', () => {
  const samples = course([FULL_SAMPLE, { ...FULL_SAMPLE, load: 3 }]);
  const failIf = ['cpu_used_pct > 90', 'load > 5'].map(parse);
  const gate = gateOf(
    { failIf, warnIf: [] },
    samples.map(one => one.figures),
  );
  const text = summaryOf({ ...EVERY_END, samples, gate });
  for (const [row] of text.matchAll(/<tr>.*<\/tr>/g))
    assert.ok(row.split(/<t[dh]\b/).length <= 5, row);
});

/** A report full of one text, with far too much of everything. */
function flooded(text: string, count: number): Report {
  const failures = Array.from({ length: 40 }, (_, index) =>
    Array.from({ length: 20 }, () => failed(text, new AgentError('rejected', `${index}${text}`))),
  );
  const conditions = Array.from({ length: 300 }, (_, index) =>
    parse(`load${'x'.repeat(600)} > ${index}`),
  );
  return report({
    sandboxId: text,
    baseUrl: text,
    durationMs: 1e12,
    files: [
      ...failures.flat(),
      ...Array.from({ length: count }, () => uploaded(text, Number.MAX_SAFE_INTEGER)),
    ],
    skipped: Array.from({ length: 300 }, () => ({ path: text, reason: text })),
    warnings: Array.from({ length: 300 }, () => text),
    errors: Array.from({ length: 50 }, () => ({ message: text, details: [text, text] })),
    gate: gateOf({ failIf: conditions, warnIf: [] }, [figures({ ts: 1 })]),
    stats: statsOf({
      cpu_count: '9223372036854775807',
      cpu_used_pct: 1e300,
      mem_total: 1,
      mem_used: '9223372036854775807',
    }),
  });
}

describe('it stays below 1 MiB', () => {
  for (const character of ['\u0001', '\u202e', "'", '"', ' "', '\u{e0041}', '日', '\ud800']) {
    test(`with names of 4,096 times ${JSON.stringify(character)}`, () => {
      const text = summary(flooded(character.repeat(4096), 4000));
      assert.ok(Buffer.byteLength(text) < 1024 ** 2, `${Buffer.byteLength(text)} bytes`);
      checkBlocks(text);
    });
  }
});

const HOSTILE = [
  '</code></td></tr></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</details>\n\n# A heading',
  'a\n\n**bold** [link](https://evil.example)',
  '```\n::error::x',
  '&lt;b&gt; &amp; "quoted" \'quoted\' <!-- comment',
  '\u202egpj.exe',
  '\r\n\r\n- item',
];

for (const name of HOSTILE) {
  test(`no markup comes out of ${JSON.stringify(name)}, it is shown to the letter`, () => {
    const files = [
      uploaded(name),
      notAttempted(name),
      failed(name, new AgentError('rejected', name)),
    ];
    const text = summary({ ...flooded(name, 0), files });
    checkBlocks(text);
    assert.doesNotMatch(text, /<(script|img|b>|!--)/);
    const shown = name
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
      .replaceAll('\u202e', '\\u{202e}');
    assert.ok(textOf(blocksOf(text).at(-2) ?? '').includes(shown));
  });
}

test('what comes from elsewhere is code, so neither mention nor emoji comes out of it', () => {
  const said = '@someone :tada:';
  const files = [uploaded(said), failed(said, new AgentError('rejected', said))];
  // Reasons for skipping are the action's own words.
  const text = summary({ ...flooded(said, 1), files, skipped: [{ path: said, reason: 'a pipe' }] });
  assert.doesNotMatch(text.replace(/<code>.*?<\/code>/g, ''), /@someone/);
});

test('what is put into HTML is escaped, unless it is HTML itself, and cut before that', () => {
  const inner = html`<b>${'<&>"\''}</b>`;
  assert.equal(html`<p>${inner}${7}${'\n'}</p>`.html, '<p><b>&lt;&amp;&gt;&quot;&#39;</b>7\\n</p>');
  assert.equal(html`${'&'.repeat(1000)}`.html, `${'&amp;'.repeat(400)}…`);
});

const PROSE: Readonly<Record<string, string>> = {
  "The sandbox's disk is full (507). Upload less, or 90 %.":
    "The sandbox's disk is full (507). Upload less, or 90 %.",
  'POST https://h/files answered 413. It said: "too <b>big</b>, \\"sorry\\"".':
    'POST [https://h/files] answered 413. It said: ["too <b>big</b>, \\"sorry\\""].',
  'Hi @someone :tada: #12 a5c3785 (@me) www.x.de, and GH-12!':
    'Hi [@someone :tada]: [#12 a5c3785] ([@me]) [www.x.de], and [GH-12]!',
  'from 12:41:24 UTC to 1,200 of HTTPS_PROXY': 'from 12:41:24 UTC to 1,200 of [HTTPS_PROXY]',
  'mem_used_pct.max >= 90 holds, cpu_used_pct < 0.5.':
    '[mem_used_pct.max >= 90] holds, [cpu_used_pct < 0.5].',
  'Is working-directory right? Is it a_b?': 'Is working-directory right? Is it [a_b]?',
  'an open "quote is code @me': 'an open ["quote is code @me]',
};

describe('of a message, plain words are prose, and all else is code:', () => {
  for (const [message, shown] of Object.entries(PROSE)) {
    test(message, () => {
      const { html: text } = prose(message);
      assert.equal(textOf(text.replaceAll('<code>', '[').replaceAll('</code>', ']')), shown);
    });
  }
});

test('the digest stands below the table, where it can break', () => {
  const text = summary(report({ files: [uploaded('a')], digest: `sha256:${'ab'.repeat(32)}` }));
  assert.match(text, /<\/table>\s*<p>Digest: <code>sha256:[\da-f]{64}<\/code><\/p>/);
});

test('the example of an invalid input is code as a whole', () => {
  assert.match(
    prose('files: line 1 has no target. Example: files: dist/** => app').html,
    /Example: <code>files: dist\/\*\* =&gt; app<\/code>$/,
  );
});
