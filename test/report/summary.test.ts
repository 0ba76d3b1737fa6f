import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { summary } from '../../src/report/summary.ts';
import { blocksOf, checkBlocks, textOf } from './blocks.ts';
import {
  BUSY,
  FULL,
  failed,
  notAttempted,
  report,
  STATS,
  skipped,
  statsOf,
  unchanged,
  uploaded,
} from './reports.ts';

function summaryOf(parts: Partial<Report> = {}): string {
  const text = summary(report(parts));
  checkBlocks(text);
  return text;
}

/** The cells of each row of the block that holds `word`. */
function rowsOf(text: string, word: string): string[][] {
  const block = blocksOf(text).find(candidate => candidate.includes(word)) ?? '';
  const rows = [...block.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) => row);
  return rows.map(row =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => textOf(cell)),
  );
}

describe('the verdict comes first', () => {
  const cases: Readonly<Record<string, Partial<Report>>> = {
    '✅ Uploaded 1 file (10 B) in 2 s.': { files: [uploaded('a')], stats: STATS },
    '❌ 0 of 1 file arrived, 1 failed.': { files: [failed('a')] },
    '⛔ Cancelled: 0 of 1 file arrived, 1 not attempted.': { files: [notAttempted('a')], cancelled: true },
    '✅ Dry run: 1 file (10 B) would be uploaded; nothing was sent.': { files: [skipped('a')], dryRun: true },
    '❌ Failed': { errors: [{ message: 'The <input> is wrong.', details: [] }] },
  };
  for (const [verdict, parts] of Object.entries(cases)) {
    test(verdict, () => {
      const [first = ''] = blocksOf(summaryOf(parts));
      assert.match(first, /^<h3>.*<\/h3>$/);
      assert.equal(textOf(first), verdict);
    });
  }
});

describe('the stats', () => {
  test('are a table with human units and a bar for each percentage', () => {
    const stats = statsOf({
      cpu_count: 4,
      cpu_used_pct: 12.34,
      mem_total: 4 * 1024 ** 3,
      mem_used: 1024 ** 3,
      disk_total: 1000,
      disk_used: 995,
    });
    assert.deepEqual(rowsOf(summaryOf({ stats }), 'CPU'), [
      ['', 'Used', 'Of', 'Share'],
      ['CPU', '', '4 cores', `${'█'.repeat(2)}${'░'.repeat(18)} 12.3 %`],
      ['Memory', '1 GiB', '4 GiB', `${'█'.repeat(5)}${'░'.repeat(15)} 25.0 %`],
      ['Disk', '995 B', '1000 B', `${'█'.repeat(20)} 99.5 %`],
    ]);
  });

  test('say of what is missing that it was not reported', () => {
    const stats = statsOf({ mem_total: 1024, disk_used: 0, disk_total: 0 });
    const missing = 'not reported';
    assert.deepEqual(rowsOf(summaryOf({ stats }), 'CPU').slice(1), [
      ['CPU', '', missing, missing],
      ['Memory', missing, '1 KiB', missing],
      ['Disk', '0 B', '0 B', missing],
    ]);
  });

  test('one core is one', () => {
    assert.match(summaryOf({ stats: statsOf({ cpu_count: 1 }) }), />1 core</);
  });

  for (const [percent, filled] of [
    [0, 0],
    [2.4, 0],
    [2.5, 1],
    [100, 20],
    [250, 20],
    [1e300, 20],
  ]) {
    test(`a bar of ${percent} % has ${filled} of 20 parts`, () => {
      const text = summaryOf({ stats: statsOf({ cpu_used_pct: percent ?? 0 }) });
      const [bar = ''] = /[█░]+/.exec(text) ?? [];
      assert.equal(bar.replaceAll('░', '').length, filled);
      assert.equal(bar.length, 20);
    });
  }

  test('are left out where they could not be had', () => {
    assert.doesNotMatch(summaryOf({ files: [uploaded('a')] }), /CPU/);
  });
});

test('the totals stand with duration and rate', () => {
  const files = [
    uploaded('a', 1024 ** 2),
    uploaded('b', 1024 ** 2),
    failed('c'),
    notAttempted('d'),
    skipped('e'),
    unchanged('f'),
  ];
  const leftOut = [{ path: 'l', reason: 'a broken link' }];
  assert.deepEqual(rowsOf(summaryOf({ files, leftOut, durationMs: 4000 }), 'Rate'), [
    ['Uploaded', 'Unchanged', 'Failed', 'Not attempted', 'Skipped', 'Size', 'Time', 'Rate'],
    ['2', '1', '1', '1', '2', '2 MiB', '4 s', '512 KiB/s'],
  ]);
});

test('where it went is said', () => {
  assert.match(
    summaryOf(),
    /<p>Sandbox <code>i1a2b3<\/code> at <code>https:\/\/sandbox\.example\.com<\/code>/,
  );
  assert.doesNotMatch(summaryOf({ sandboxId: '' }), /Sandbox/);
});

test('failures stand with their reasons, what to do, and their files', () => {
  const files = [failed('a', FULL), ...Array.from({ length: 12 }, (_, index) => failed(`b${index}`))];
  const stats = statsOf({ disk_used: 1024, disk_total: 1024 });
  const [, busy = [], full = []] = rowsOf(summaryOf({ files, stats }), 'Why');
  assert.equal(busy[0], `${BUSY.message}${BUSY.hint}`);
  assert.match(busy[1] ?? '', /^b0b1.*b9and 2 more/);
  assert.equal(full[0], `${FULL.message}${FULL.hint} It uses 1 KiB of 1 KiB.`);
  assert.equal(full[1], 'a');
});

test('what was left out stands with its reason', () => {
  const leftOut = Array.from({ length: 12 }, (_, index) => ({ path: `l${index}`, reason: 'a pipe' }));
  const rows = rowsOf(summaryOf({ leftOut }), 'l0');
  assert.deepEqual(rows[1], ['l0', 'a pipe']);
  assert.equal(rows.length, 12);
  assert.match(rows[11]?.[0] ?? '', /^and 2 more/);
});

test('the details of errors, and the warnings, are listed', () => {
  const errors = [{ message: 'No stats.', details: ['Try again.'] }];
  const text = summaryOf({ errors, warnings: ['"a" matches no file.'] });
  const list = blocksOf(text).find(block => block.startsWith('<ul>')) ?? '';
  assert.deepEqual(textOf(list).trim().split('\n'), ['Try again.', '"a" matches no file.']);
});

test('the files stand in a folded list, where they are and how they ended', () => {
  const files = [uploaded('a', 2048), failed('b'), notAttempted('c')];
  const list = blocksOf(summaryOf({ files })).at(-1) ?? '';
  assert.match(list, /^<details><summary>3 files<\/summary>\n<table>/);
  assert.deepEqual(rowsOf(summaryOf({ files }), '<details>'), [
    ['File', 'In the sandbox', 'Size', ''],
    ['a', '/home/user/app/a', '2 KiB', 'uploaded'],
    ['b', 'app/b', '10 B', 'failed'],
    ['c', 'app/c', '10 B', 'not attempted'],
  ]);
});
