import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport, reportJson } from '../../src/report/render.ts';
import { measured, type Parts, report, START, withGap } from '../support/build-report.ts';
import { BUSY, EVERY_STATUS, SHA256 } from '../support/file-results.ts';

function parsedReport(parts: Parts) {
  const input = report(parts);
  return JSON.parse(reportJson(input, renderReport(input)));
}

test('the report of a step that failed early has its errors, and no results', () => {
  const parsed = parsedReport({ error: { verdict: 'no', lines: ['d', 'advice'] } });
  assert.deepEqual(parsed, {
    $schema: parsed.$schema,
    task: 'sync',
    name: '',
    sandbox: { id: 'i1a2b3', baseUrl: 'https://sandbox.example.com' },
    succeeded: false,
    headline: 'No',
    cancelled: false,
    errors: [{ message: 'No', details: ['d', 'advice'] }],
    warnings: [],
  });
  assert.match(parsed.$schema, /report-1\.json$/);
});

test('the report of an upload has its files and totals, and its outputs count them by status', () => {
  const input = report({ task: 'upload', digest: 'sha256:d', ...EVERY_STATUS, warnings: ['w'] });
  const rendered = renderReport(input);
  const { upload, headline, warnings } = JSON.parse(reportJson(input, rendered));
  const done = 'Uploaded 2 of 5 files, 1 failed, 1 not attempted, 1 unchanged, 1 skipped';
  assert.deepEqual([headline, warnings], [done, ['w']]);
  const { files, totals, skipped, ...rest } = upload;
  assert.deepEqual(skipped, EVERY_STATUS.skipped);
  const more = { digest: 'sha256:d', orphaned: [], retries: 0, durationMs: 2000 };
  assert.deepEqual(rest, { dryRun: false, ...more });
  assert.deepEqual(totals, {
    files: 6,
    uploaded: 2,
    uploadedBytes: 12,
    unchanged: 1,
    unchangedBytes: 10,
    planned: 1,
    plannedBytes: 10,
    failed: 1,
    notAttempted: 1,
    skipped: 1,
  });
  assert.deepEqual(rendered.outputs, {
    'uploaded-count': '2',
    'unchanged-count': '1',
    'failed-count': '1',
    'planned-count': '1',
    'skipped-count': '1',
    'uploaded-bytes': '12',
    digest: 'sha256:d',
  });
  const file = (name: string) => ({ source: name, target: `/home/user/app/${name}`, size: 10 });
  const path = '/home/user/app/a';
  assert.deepEqual(files.slice(0, 5), [
    { ...file('a'), size: 7, status: 'uploaded', attempts: 1, durationMs: 5, path },
    { ...file('b'), status: 'failed', attempts: 3, durationMs: 7, error: BUSY },
    { ...file('c'), status: 'planned' },
    { ...file('d'), status: 'not-attempted', reason: 'the sandbox was not ready' },
    { ...file('e'), status: 'unchanged', path: '/home/user/app/e', sha256: SHA256 },
  ]);
});

test('the report has the samples, the monitored time, and everything that the agent sent', () => {
  const response = { load: 1.5, host: 'h' };
  const monitor = withGap({ ...measured([{ load: 1.5 }]), response }, 15, 60);
  const { stats } = parsedReport({ task: 'monitor', stats: monitor });
  assert.deepEqual(
    [stats.figures, stats.samples, stats.response],
    [{ load: 1.5 }, [{ at: START, figures: { load: 1.5 } }], { load: 1.5, host: 'h' }],
  );
  const gaps = [{ from: START + 15_000, to: START + 60_000 }];
  assert.deepEqual(stats.monitored, { from: START, to: START + 60_000, gaps, failures: [] });
});
