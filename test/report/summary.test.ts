import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../src/report/render.ts';
import { measured, report, runReport, START, summaryText } from '../support/build-report.ts';
import { EXAMPLE_REPORTS } from '../support/example-reports.ts';
import { BUSY, failed, uploaded } from '../support/file-results.ts';
import { assertNoInjectionInSummary, INJECTIONS } from '../support/injections.ts';

const GOLDEN = path.join(import.meta.dirname, 'golden');

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

test('the summary cuts names and the words of others at their end, but no advice', () => {
  const conflict = (name: string) => {
    const line = `"${name}" would go to "app". Exclude one.`;
    return summaryText(report({ error: { verdict: 'no', lines: [line] } }));
  };
  const line = /<p><code>x{300}…<\/code> would go to <code>app<\/code>. Exclude one.<\/p>/;
  assert.match(conflict('x'.repeat(4096)), line);
  for (const start of ['', 'x']) assert.ok(conflict(`${start}${'😀'.repeat(2000)}`).isWellFormed());
});

test('the summary renders texts of others as code, so that mentions and emoji names do nothing', () => {
  // The action itself writes the reasons for skipping, so they are not rendered as code.
  const summary = summaryText(longReport('@someone :tada:', 'a broken link'));
  const unquoted = summary.replace(/<code>.*?<\/code>/g, '');
  assert.doesNotMatch(unquoted, /@someone|:tada:/);
});

test('the heading cuts the name or the command, but never the verdict', () => {
  const headingOf = (verdict: string) => {
    const name = 'n'.repeat(100);
    const summary = summaryText(report({ name, error: { verdict, lines: [] } }));
    return /^<h3>❌ <code>(n+)…<\/code>: (.*)<\/h3>/.exec(summary)?.slice(1);
  };
  const long = 'it failed so often that nobody knows how to say it in one line';
  assert.deepEqual(headingOf('it failed'), ['n'.repeat(51), 'it failed']);
  assert.deepEqual(headingOf(long), ['n'.repeat(20), long]);
});

test('a failed step shows the whole command below its heading, once', () => {
  const title = `npm run ${'x'.repeat(100)}`;
  const end = { kind: 'exited', code: 1 } as const;
  for (const name of ['', 'tests']) {
    const summary = summaryText(runReport(end, { name, command: { title } }));
    assert.equal(summary.match(RegExp(`${title}`, 'g'))?.length, 1);
  }
});

test('a command that nobody judges, with a single sample, shows no figures', () => {
  const monitored = { from: START, to: START, gaps: [], failures: [] };
  const end = { kind: 'exited', code: 1 } as const;
  for (const failIf of [[], ['cpu_used_pct > 9']]) {
    const stats = { ...measured([{ cpu_used_pct: 5 }], failIf), monitored };
    assert.equal(summaryText(runReport(end, { stats })).includes('<table>'), failIf.length > 0);
  }
});
