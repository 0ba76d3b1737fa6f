import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  headlineOf,
  type RenderedReport,
  renderReport,
  succeeded,
} from '../../src/report/render.ts';
import { linesOf, type Problem } from '../../src/report/section.ts';
import { measured, type Parts, report, START, withGap } from '../support/build-report.ts';
import { BUSY, FAILED, NOT_ATTEMPTED, UNCHANGED, UPLOADED } from '../support/file-results.ts';

const shard = { index: 2, count: 4, allFiles: 2000 };
const error: Problem = { verdict: 'it is not JSON', lines: ['Check base-url.'] };
const task = 'stats';
const quick = { files: [UPLOADED], durationMs: 999 };
const load = (value: number, fail = 'load > 1', warn = 'load > 9') => ({
  stats: measured([{ load: value }], [fail], [warn]),
});
const unread = { stats: { ...measured([], ['load > 1']), error: BUSY } };
const CPU_LIMITS = ['cpu_used_pct.mean > 5', ...[2, 3, 4].map(limit => `cpu_used_pct > ${limit}`)];
const busy = { stats: measured([{ cpu_used_pct: 5 }, { cpu_used_pct: 7 }], CPU_LIMITS) };
const blind = { stats: measured([{ cpu_used_pct: 5 }], ['cpu_used_pct > 9'], [], true) };
const gap = { stats: withGap(measured([{ load: 0 }], ['load > 1'], [], true), 15, 60) };
const NOT_SEEN = 'The sandbox was not seen from 09:05:15 UTC to 09:06:00 UTC';

type Cases = readonly (readonly [headline: string, parts: Parts])[];

const CASES: Readonly<Record<RenderedReport['level'], Cases>> = {
  success: [
    ['Uploaded 1 file (1 KiB) in 999 ms · gate passed', { ...quick, ...load(0) }],
    [
      'Uploaded 1 file (1 KiB, 512 B/s) in 2 s, 1 unchanged, 1 skipped',
      { files: [UNCHANGED, UPLOADED], skipped: [{ path: 'l', reason: 'a pipe' }] },
    ],
    ['Nothing was sent, 2 unchanged', { files: [UNCHANGED, UNCHANGED] }],
    ['Uploaded 1 file (1 KiB) in 999 ms (shard 2 of 4)', { ...quick, shard, task: 'upload' }],
    ['There were no files to upload', { task: 'upload' }],
    ['CPU 7.5 % · no gate', { task, stats: measured([{ cpu_used_pct: 7.5 }]) }],
    ['No CPU, memory or disk usage · no gate', { task, stats: measured([{}]) }],
  ],
  warning: [
    ['There were no files to upload', { task: 'upload', warnings: ['No files were found.'] }],
    [
      'Uploaded 1 file (1 KiB) in 999 ms · gate warned: `load` 5 > 4',
      { ...quick, ...load(5, 'load > 9', 'load > 4') },
    ],
  ],
  failure: [
    [
      'Uploaded 1 of 3 files, 1 failed, 1 not attempted, 1 unchanged',
      { files: [UNCHANGED, UPLOADED, FAILED, NOT_ATTEMPTED] },
    ],
    ['Uploaded 1 of 2 files, 1 not attempted', { files: [UPLOADED, NOT_ATTEMPTED] }],
    ['Uploaded 0 of 1 file, 1 failed', { files: [FAILED], ...load(5) }],
    ['Gate failed: `load` 5 > 1', { files: [UPLOADED], ...load(5) }],
    ['Gate failed: `gpu > 1` cannot be judged', { task, stats: measured([{}], ['gpu > 1']) }],
    [
      'Gate failed: CPU mean 6 % > 5 %, CPU 7 % > 2 %, CPU 7 % > 3 %, and 1 more',
      { task, ...busy },
    ],
    [NOT_SEEN, { task: 'monitor', ...gap }],
    ['The stats could not be read', { files: [UPLOADED], ...unread }],
    ['It is not JSON', { error }],
  ],
  cancelled: [
    ['Cancelled', { task, cancelled: true, ...blind }],
    [
      'Cancelled: 1 of 2 files were uploaded',
      { files: [UPLOADED, NOT_ATTEMPTED], cancelled: true },
    ],
    ['Cancelled before anything was sent', { files: [NOT_ATTEMPTED], cancelled: true }],
    ['It is not JSON', { error, cancelled: true }],
  ],
};

for (const [level, cases] of Object.entries(CASES))
  for (const [headline, parts] of cases)
    test(`the level and the headline of a report say the worst of what was done [${headline}]`, () => {
      const rendered = renderReport(report(parts));
      assert.deepEqual([rendered.level, headlineOf(rendered)], [level, headline]);
      assert.equal(succeeded(rendered), level === 'success' || level === 'warning');
    });

test('what was not seen is told once, and what was done is a fact below it', () => {
  const { problems, facts } = renderReport(report({ files: [UNCHANGED], ...unread }));
  const lines = ['The stats could not be read', BUSY.message, BUSY.hint];
  assert.deepEqual(problems.map(linesOf), [lines]);
  assert.deepEqual(facts, ['Nothing was sent, 1 unchanged.']);
});

test('a cancelled step warns of a condition that tripped, but not that samples are missing', () => {
  const stats = measured([{ load: 0 }, { load: 5 }], [], ['load > 1', 'load.max > 9'], true);
  const { warnings } = renderReport(report({ task, stats, cancelled: true }));
  assert.deepEqual(warnings, ['`load > 1`: 5 at 09:05:01 UTC, in 1 of 2 samples.']);
});

test('a gap is told before what tripped, and in place of what only lacks samples', () => {
  const problemsIf = (failIf: string) => {
    const stats = measured([{ load: 5 }], [failIf], [], true);
    const gone = withGap(stats, 15, 60, 'its job is gone');
    return renderReport(report({ task: 'monitor', stats: gone })).problems.map(linesOf);
  };
  const gap = [NOT_SEEN, 'Sampling had ended: its job is gone.'];
  assert.deepEqual(problemsIf('load > 1'), [gap, ['Gate failed: `load` 5 > 1']]);
  assert.deepEqual(problemsIf('load > 9'), [gap]);
  const [first, unjudged = []] = problemsIf('gpu > 1');
  assert.deepEqual(first, gap);
  assert.match(unjudged.join('\n'), /^Gate failed: .*\n.* does not report `gpu`/);
});

test('a gap is a problem if there is a fail-if, and else a warning, as are failed samples without a gap', () => {
  const failure = { kind: 'failure', askedAt: 0, at: 1, message: 'It answered 503.' } as const;
  const failures = [failure, failure];
  const textsFor = (failIf: readonly string[], hasGap: boolean) => {
    const [from, to] = [START + 15_000, START + 60_000];
    const gaps = hasGap ? [{ from, to, endReason: undefined, failures } as const] : [];
    const monitored = { from: START, to, gaps, failures };
    const stats = { ...measured([{ load: 0 }], failIf), monitored };
    const { problems, warnings } = renderReport(report({ task: 'monitor', stats }));
    return [problems.flatMap(linesOf), warnings];
  };
  const line = '2 samples failed, the last: It answered 503.';
  assert.deepEqual(textsFor(['load > 1'], true), [[NOT_SEEN, line], []]);
  assert.deepEqual(textsFor([], true), [[], [`${NOT_SEEN}. ${line}`]]);
  assert.deepEqual(textsFor(['load > 1'], false), [[], [line]]);
  assert.deepEqual(textsFor([], false), [[], []]);
});
