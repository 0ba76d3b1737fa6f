import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { type Report, renderReport } from '../../src/report/render.ts';
import { withMarkup } from '../../src/report/section.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { measured, report, runReport, START } from '../support/build-report.ts';
import { EXAMPLE_REPORTS } from '../support/example-reports.ts';
import { BUSY, failed, uploaded } from '../support/file-results.ts';
import { assertNoInjectionInSummary, INJECTIONS } from '../support/injections.ts';

const GOLDEN = path.join(import.meta.dirname, 'golden');

function summaryText(input: Report): string {
  return summaryOf(input, renderReport(input));
}

// To update the golden files: node --test --test-update-snapshots test/report/summary.test.ts
for (const [kind, example] of Object.entries(EXAMPLE_REPORTS))
  test(`the summary of an example is its golden file [${kind}]`, t => {
    const summary = summaryText(example);
    assertNoInjectionInSummary(summary);
    const file = path.join(GOLDEN, `${kind}.txt`);
    t.assert.fileSnapshot(summary, file, { serializers: [String] });
  });

/** Builds a report with this text in every field, and with more entries than the summary shows. */
function longReport(text: string, reason = text): Report {
  const failures = Array.from({ length: 40 }, (_, status) =>
    Array.from({ length: 20 }, () => failed(text, { ...BUSY, status, message: text })),
  );
  const metrics = Array.from({ length: 60 }, (_, index) => `metric${index}${'x'.repeat(600)} > 0`);
  const lines = Array.from({ length: 60 }, () => text);
  return report({
    name: text,
    sandbox: { id: text, baseUrl: text },
    files: [...failures.flat(), ...lines.map(line => uploaded(line))],
    skipped: lines.map(line => ({ path: line, reason })),
    orphaned: lines,
    warnings: Array.from({ length: 600 }, () => text),
    stats: measured([{ [`metric0${'x'.repeat(600)}`]: 1 }], metrics),
  });
}

const LONG_NAMES = ['\u0001', '\u202e', '"', '\u{e0041}', '日', '\ud800'].map(each =>
  each.repeat(4096),
);

test('the summary escapes what the runner, GitHub or a browser would act on, and stays below 1 MiB', () => {
  for (const text of [...Object.values(INJECTIONS), ...LONG_NAMES])
    assertNoInjectionInSummary(summaryText(longReport(text)));
});

test('the summary cuts a long message in the middle, since its advice comes last', () => {
  const conflict = (name: string) => {
    const text = `"${name}" would go to "app". Exclude one.`;
    const summary = summaryText(report({ error: [{ text: 'No.' }, { text }] }));
    return /<li>.*<\/li>/.exec(summary)?.[0] ?? '';
  };
  const advised =
    /^<li>❌ <code>&quot;x{149}…x+&quot; would go to &quot;app&quot;. Exclude one.<\/code>/;
  assert.match(conflict('x'.repeat(4096)), advised);
  for (const start of ['', 'x', 'xx'])
    assert.ok(conflict(`${start}${'😀'.repeat(2000)}${start}`).isWellFormed());
});

test('the summary renders texts of others as code, so that mentions and emoji names do nothing', () => {
  // The action itself writes the reasons for skipping, so they are not rendered as code.
  const summary = summaryText(longReport('@someone :tada:', 'a broken link'));
  const unquoted = summary.replace(/<code>.*?<\/code>/g, '');
  assert.doesNotMatch(unquoted, /@someone|:tada:/);
});

test('the heading of the summary is the first sentence, at most 54 characters', () => {
  const headingOf = (title: string) => {
    const summary = summaryText(report({ error: [withMarkup(title)] }));
    return /^<h3>❌ (.*)<\/h3>\n\n(?:<p>(.*)<\/p>\n\n<p>)?/.exec(summary)?.slice(1);
  };
  assert.deepEqual(headingOf('It failed.'), ['It failed.', undefined]);
  assert.deepEqual(headingOf('It failed. Try again.'), ['It failed.', 'Try again.']);
  const long = 'It failed so often that nobody knows how to say it in a line. Try.';
  const start = 'It failed so often that nobody knows how to say it in …';
  assert.deepEqual(headingOf(long), [start, long]);
  const named = report({ name: 'n'.repeat(30), error: [withMarkup('It failed.')] });
  assert.match(summaryText(named), /^<h3>❌ <code>n{20}…<\/code>: It failed\.<\/h3>/);
});

test('a command that nobody judges, with a single sample, shows no figures', () => {
  const monitored = { from: START, to: START, gaps: [], failures: [] };
  const done = { kind: 'exited', code: 0 } as const;
  for (const failIf of [[], ['cpu_used_pct > 9']]) {
    const stats = { ...measured([{ cpu_used_pct: 5 }], failIf), monitored };
    assert.equal(summaryText(runReport(done, { stats })).includes('<table>'), failIf.length > 0);
  }
});
