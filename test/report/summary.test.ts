import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { prose } from '../../src/report/html.ts';
import type { Report } from '../../src/report/report.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { verdictOf } from '../../src/report/verdict.ts';
import { assertNoInjectionInSummary } from '../e2e/injections.ts';
import { BUSY, failed, judged, KINDS, reading, report, skipped, uploaded } from './reports.ts';
import { textOf } from './text-of.ts';

const GOLDEN = path.join(import.meta.dirname, 'golden');

// After a change: node --test --test-update-snapshots test/report/summary.test.ts
describe('the summary is as kept', () => {
  for (const [kind, given] of Object.entries(KINDS)) {
    test(kind, t => {
      const summary = summaryOf(given, verdictOf(given));
      assertNoInjectionInSummary(summary);
      const file = path.join(GOLDEN, `${kind}.txt`);
      t.assert.fileSnapshot(summary, file, { serializers: [String] });
    });
  }
});

/** The cells of each row of the table. */
function rowsOf(given: Report): string[][] {
  const rows = [...summaryOf(given, verdictOf(given)).matchAll(/<tr>(.*?)<\/tr>/g)];
  return rows.map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => textOf(cell)),
  );
}

describe('the figures', () => {
  const rows = (...given: Parameters<typeof judged>) =>
    rowsOf(report({ task: 'stats', ...judged(...given) }));

  test('have the conditions that judge them, each with its mark', () => {
    const figures = { ...reading(1, 50), mem_used_mib: 2048, load: 1 };
    const table = rows([figures], ['mem_free < 1GiB', 'mem_used_mib >= 2000'], ['load == 1']);
    assert.deepEqual(table.slice(2, 3).concat(table.slice(-1)), [
      ['Memory (4 GiB)', '2 GiB (50 %)', '✅ < 1 GiB free❌ >= 2 GiB'],
      ['load', '1', '⚠️ == 1 (warn)'],
    ]);
  });

  test('have the mean of what a condition judges by it', () => {
    const [head, , memory] = rows([reading(1, 50), reading(3, 60)], ['mem_used_pct.mean > 50']);
    assert.deepEqual(head, ['', 'Peak', 'Mean', 'Trips if']);
    assert.deepEqual(memory, [
      'Memory (4 GiB)',
      '2.4 GiB (60 %)',
      '2.2 GiB (55 %)',
      '❌ mean > 50 %',
    ]);
  });

  test('say what is not reported, and are left out if nothing is', () => {
    assert.deepEqual(rows([{ ts: 1 }], ['load > 1']).at(-1), ['load', 'not reported', '❌ > 1']);
    assert.deepEqual(rows([{ ts: 1 }]), []);
    assert.deepEqual(rows([{ cpu_used_pct: 1, cpu_count: 0 }]).at(-1), ['CPU', '1 %']);
  });
});

/** A report full of one text, with far too much of everything. */
function flooded(text: string, reason = text): Report {
  const failures = Array.from({ length: 40 }, (_, status) =>
    Array.from({ length: 20 }, () => failed(text, { ...BUSY, status, message: text })),
  );
  const metrics = Array.from({ length: 60 }, (_, index) => `metric${index}${'x'.repeat(600)} > 0`);
  const lines = Array.from({ length: 60 }, () => text);
  return report({
    name: text,
    sandboxId: text,
    baseUrl: text,
    files: [...failures.flat(), ...lines.map(line => uploaded(line))],
    skipped: lines.map(line => ({ path: line, reason })),
    orphaned: lines,
    warnings: lines,
    errors: lines.map(line => ({ message: line, details: [line, line] })),
    ...judged([{ [`metric0${'x'.repeat(600)}`]: 1 }], metrics),
  });
}

const planned = (text: string) =>
  report({
    dryRun: true,
    files: Array.from({ length: 60 }, (_, index) => skipped(`${text}${index}/${text}`)),
  });

describe('it stays below 1 MiB', () => {
  for (const character of ['\u0001', '\u202e', '"', '\u{e0041}', '日', '\ud800']) {
    test(`with names of 4,096 times ${JSON.stringify(character)}`, () => {
      for (const given of [flooded(character.repeat(4096)), planned(character.repeat(2000))]) {
        const summary = summaryOf(given, verdictOf(given));
        assertNoInjectionInSummary(summary);
      }
    });
  }
});

const HOSTILE = [
  '</code></td></tr></table><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</details>\n\n# A heading',
  'a\n\n**bold** [link](https://evil.example)',
  '```\n::error::x',
  '`a` </code> `b',
  '&lt;b&gt; &amp; "quoted" \'quoted\' <!-- comment',
  '\u202egpj.exe',
  '\r\n\r\n- item',
];

for (const name of HOSTILE) {
  test(`no markup comes out of ${JSON.stringify(name)}, it is shown to the letter`, () => {
    for (const given of [flooded(name), planned(name)]) {
      const summary = summaryOf(given, verdictOf(given));
      assertNoInjectionInSummary(summary);
      const shown = name
        .replaceAll('\n', '\\n')
        .replaceAll('\r', '\\r')
        .replaceAll('\u202e', '\\u{202e}');
      assert.ok(textOf(summary.split('\n\n').at(-3) ?? '').includes(shown));
    }
  });
}

test('whatever comes from elsewhere is code, so neither mention nor emoji comes out of it', () => {
  const said = '@someone :tada:';
  // Reasons for skipping are our own words.
  for (const given of [flooded(said, 'a broken link'), planned(said)])
    assert.doesNotMatch(
      summaryOf(given, verdictOf(given)).replace(/<code>.*?<\/code>/g, ''),
      /@someone|:tada:/,
    );
});

test('of our own words, what stands in backticks is code', () => {
  const { html } = prose('Set `files-per-request` to 1 & `a');
  assert.equal(html, 'Set <code>files-per-request</code> to 1 &amp; <code>a</code>');
});
