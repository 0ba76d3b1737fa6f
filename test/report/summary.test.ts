import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { gateOf } from '../../src/gate/judge.ts';
import { html } from '../../src/report/html.ts';
import type { Report } from '../../src/report/report.ts';
import { MAX_SUMMARY_BYTES, summary } from '../../src/report/summary.ts';
import { figures, parse } from '../gate/given.ts';
import { blocksOf, checkBlocks, textOf } from './blocks.ts';
import { cpuCourse } from './courses.ts';
import { BUSY, EVERY_END, FULL, failed, notAttempted, report, skipped, statsOf, uploaded } from './reports.ts';

function summaryOf(parts: Partial<Report> = {}): string {
  const text = summary(report(parts));
  checkBlocks(text);
  return text;
}

/** The cells of each row of the block that holds `word`. */
function rowsOf(text: string, word: string): string[][] {
  const block = blocksOf(text).find(candidate => candidate.includes(word)) ?? '';
  const rows = [...block.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) => row);
  return rows.map(row => [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => textOf(cell)));
}

describe('the verdict comes first', () => {
  const error = { message: 'The <input> is wrong.', details: [] };
  const cases: readonly (readonly [parts: Partial<Report>, verdict: string, ...others: string[]])[] = [
    [{ files: [uploaded('a')] }, '✅ Uploaded 1 file (10 B) in 2 s.'],
    [{ files: [failed('a')] }, '❌ 0 of 1 file arrived, 1 failed.'],
    [{ files: [notAttempted('a')], cancelled: true }, '⛔ Cancelled: 0 of 1 file arrived, 1 not attempted.'],
    [{ errors: [error] }, '❌ Failed', error.message],
  ];
  for (const [parts, ...shown] of cases) {
    test(shown.join(' '), () => {
      const blocks = blocksOf(summaryOf(parts));
      assert.match(blocks[0] ?? '', /^<h3>.*<\/h3>$/);
      assert.deepEqual(blocks.slice(0, shown.length).map(textOf), shown);
    });
  }
});

describe('the stats', () => {
  test('are a table with human units and a bar for each percentage', () => {
    const memory = { mem_total: 4 * 1024 ** 3, mem_used: 1024 ** 3 };
    const stats = statsOf({ cpu_count: 4, cpu_used_pct: 12.5, ...memory, disk_total: 1000, disk_used: 995 });
    assert.deepEqual(rowsOf(summaryOf({ stats }), 'CPU'), [
      ['', 'Used', 'Of', 'Share'],
      ['CPU', '', '4 cores', `${'█'.repeat(3)}${'░'.repeat(17)} 12.5 %`],
      ['Memory', '1 GiB', '4 GiB', `${'█'.repeat(5)}${'░'.repeat(15)} 25.0 %`],
      ['Disk', '995 B', '1000 B', `${'█'.repeat(20)} 99.5 %`],
    ]);
    const one = summaryOf({ stats: statsOf({ cpu_count: 1, cpu_used_pct: 250 }) });
    assert.deepEqual(rowsOf(one, 'CPU')[1], ['CPU', '', '1 core', `${'█'.repeat(20)} 250.0 %`]);
  });

  test('say of what is missing that it was not reported', () => {
    const stats = statsOf({ mem_total: 1024, disk_used: 0, disk_total: 0 });
    const missing = 'not reported';
    assert.deepEqual(rowsOf(summaryOf({ stats }), 'CPU').slice(1), [
      ['CPU', '', missing, missing],
      ['Memory', missing, '1 KiB', missing],
      ['Disk', missing, '0 B', missing],
    ]);
    assert.doesNotMatch(summaryOf({ files: [uploaded('a')] }), /CPU/);
  });
});

test('the gate stands with what tripped, or with what it asked', () => {
  const judge = (load: number) => {
    const [failIf, warnIf] = [[parse('load > 5')], [parse('load > 1')]];
    return summaryOf({ gate: gateOf({ failIf, warnIf }, [figures({ load })]) });
  };
  assert.deepEqual(rowsOf(judge(9), 'tripped'), [
    ['', 'Conditions that tripped'],
    ['❌', 'load > 5: it was 9, the limit is 5'],
    ['⚠️', 'load > 1: it was 9, the limit is 1'],
  ]);
  assert.match(judge(9), /<code>load &gt; 5: it was 9, the limit is 5<\/code>/);
  assert.match(judge(0), /<p>The gate passed. None of its conditions held: <code>load &gt; 5, load &gt; 1</);
  assert.doesNotMatch(summaryOf(), /gate|<h4>|<table>|<details>/);
  const many = Array.from({ length: 40 }, (_, index) => parse(`load > ${index}`));
  const gate = gateOf({ failIf: many, warnIf: [] }, [figures({ load: 99 })]);
  assert.equal(rowsOf(summaryOf({ gate }), 'tripped').length, 1 + 30);
});

test('the course of several samples stands in a table, then in charts', () => {
  const [, , table, chart, end] = summary(report({ samples: cpuCourse([1, 2, 3]) })).split(/\n\n(?=<|\*)/);
  assert.match(table ?? '', /^<table>[\s\S]*<td>CPU<\/td><td><code>▁▁▁<\/code>/);
  assert.match(chart ?? '', /^\*\*CPU\*\* in percent/);
  assert.equal(end, undefined);
});

test('the totals stand with duration and rate, but not for a dry run', () => {
  const head = ['Uploaded', 'Unchanged', 'Failed', 'Not attempted', 'Skipped', 'Size', 'Time', 'Rate'];
  const lost = [...Array(3).fill(failed('g')), ...Array(4).fill(notAttempted('h'))];
  const files = [...EVERY_END.files, uploaded('i', 2 * 1024 ** 2 - 12), ...lost];
  assert.deepEqual(rowsOf(summaryOf({ ...EVERY_END, files, durationMs: 4000 }), 'Rate'), [
    head,
    ['3', '1', '4', '5', '2', '2 MiB', '4 s', '512 KiB/s'],
  ]);
  assert.equal(rowsOf(summaryOf({ files: [failed('a')] }), 'Rate')[1]?.at(-1), '–');
  assert.deepEqual(rowsOf(summaryOf({ files: [skipped('a')], dryRun: true }), 'Rate'), []);
});

test('where it went is said, then the details of errors and the warnings, not too many', () => {
  const errors = [{ message: 'No stats.', details: ['Try again.'] }];
  const warnings = Array.from({ length: 40 }, (_, index) => `warning ${index}`);
  const [, where, list] = blocksOf(summaryOf({ errors, warnings })).slice(1);
  assert.equal(textOf(where ?? ''), 'Sandbox i1a2b3 at https://sandbox.example.com');
  const lines = textOf(list ?? '').trim();
  assert.deepEqual(lines.split('\n'), ['Try again.', ...warnings.slice(0, 29)]);
  assert.doesNotMatch(summaryOf({ sandboxId: '' }), /Sandbox/);
});

test('failures stand with their reasons, what to do, and their files', () => {
  const files = [failed('a', FULL), ...Array.from({ length: 12 }, (_, index) => failed(`b${index}`))];
  const stats = statsOf({ disk_used: 1024, disk_total: 1024 });
  const [, busy = [], full] = rowsOf(summaryOf({ files, stats }), 'Why');
  assert.equal(busy[0], `${BUSY.message}${BUSY.hint}`);
  assert.match(busy[1] ?? '', /^b0b1.*b9and 2 more; the report file has them all$/);
  assert.deepEqual(full, [
    `${FULL.message}${FULL.hint} Its root file system uses 1 KiB of 1 KiB; the target may be on another.`,
    'a',
  ]);
});

test('what was left out stands with its reason', () => {
  const leftOut = Array.from({ length: 12 }, (_, index) => ({ path: `l${index}`, reason: 'a pipe' }));
  const rows = rowsOf(summaryOf({ leftOut }), 'l0');
  assert.deepEqual(rows[1], ['l0', 'a pipe']);
  assert.deepEqual(rows.slice(11), [['and 2 more; the report file has them all', '']]);
});

test('the files stand in a folded list, where they are and how they ended', () => {
  const text = summaryOf({ files: [uploaded('a', 2048), failed('b'), notAttempted('c'), skipped('d')] });
  const list = blocksOf(text).at(-1) ?? '';
  assert.match(list, /^<details><summary>4 files<\/summary>\n<table>[\s\S]*<\/table>\n<\/details>$/);
  assert.deepEqual(rowsOf(text, '<details>'), [
    ['File', 'In the sandbox', 'Size', ''],
    ['a', '/home/user/app/a', '2 KiB', 'uploaded'],
    ['b', 'app/b', '10 B', 'failed'],
    ['c', 'app/c', '10 B', 'not attempted'],
    ['d', 'app/d', '10 B', 'would be uploaded'],
  ]);
});

/** A report in which every text is the one given, and there is far too much of everything. */
function flooded(text: string, count: number): Report {
  const failures = Array.from({ length: 40 }, (_, index) =>
    Array.from({ length: 20 }, () => failed(text, new AgentError('rejected', `${index}${text}`))),
  );
  const conditions = Array.from({ length: 300 }, (_, index) => parse(`load${'x'.repeat(600)} > ${index}`));
  return report({
    sandboxId: text,
    baseUrl: text,
    durationMs: 1e12,
    files: [...failures.flat(), ...Array.from({ length: count }, () => uploaded(text, Number.MAX_SAFE_INTEGER))],
    leftOut: Array.from({ length: 300 }, () => ({ path: text, reason: text })),
    warnings: Array.from({ length: 300 }, () => text),
    errors: Array.from({ length: 50 }, () => ({ message: text, details: [text, text] })),
    gate: gateOf({ failIf: conditions, warnIf: [] }, [figures({ ts: 1n })]),
    stats: statsOf({
      cpu_count: '9223372036854775807',
      cpu_used_pct: 1e300,
      mem_total: 1,
      mem_used: '9223372036854775807',
    }),
  });
}

function checkSize(text: string): void {
  const size = Buffer.byteLength(text);
  assert.ok(size <= 1024 ** 2, `${size} bytes`);
  assert.ok(size > 1024 ** 2 - 16_384, `${size} bytes: what fits is shown`);
  assert.match(text, /and \d{1,3},\d{3} more; the report file has them all<\/details>/);
  checkBlocks(text);
}

describe('it fills 1 MiB, and never exceeds it', () => {
  test('that is the limit of the platform', () => assert.equal(MAX_SUMMARY_BYTES, 1_048_576));

  for (const character of ['\u0001', '\u202e', "'", '\u{e0041}', '日', '\ud800']) {
    test(`with names of 4,096 times ${JSON.stringify(character)}`, () => {
      checkSize(summary(flooded(character.repeat(4096), 4000)));
    });
  }

  for (const length of [1, 600, 601]) {
    test(`with 20,000 names of ${length} characters`, () => {
      checkSize(summary(report({ files: Array.from({ length: 20_000 }, () => uploaded('x'.repeat(length))) })));
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
    const files = [uploaded(name), notAttempted(name), failed(name, new AgentError('rejected', name))];
    const text = summary({ ...flooded(name, 0), files });
    checkBlocks(text);
    assert.doesNotMatch(text, /<(script|img|b>|!--)/);
    const shown = name.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\u202e', '\\u{202e}');
    assert.ok(textOf(blocksOf(text).at(-1) ?? '').includes(shown));
  });
}

test('what comes from elsewhere is code, so neither mention nor emoji comes out of it', () => {
  const said = '@someone :tada:';
  const files = [uploaded(said), failed(said, new AgentError('rejected', said))];
  // Why something was left out, the action says in its own words.
  const text = summary({ ...flooded(said, 1), files, leftOut: [{ path: said, reason: 'a pipe' }] });
  assert.doesNotMatch(text.replace(/<code>.*?<\/code>/g, ''), /@someone/);
});

test('what is put into HTML is escaped, unless it is HTML itself, and cut before that', () => {
  const inner = html`<b>${'<&>"\''}</b>`;
  assert.equal(html`<p>${inner}${7}${'\n'}</p>`.html, '<p><b>&lt;&amp;&gt;&quot;&#39;</b>7\\n</p>');
  assert.equal(html`${'&'.repeat(1000)}`.html, `${'&amp;'.repeat(600)}…`);
});
