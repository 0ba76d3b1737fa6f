import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMarkup } from '../../src/report/reason.ts';
import { reportJson, verdictOf } from '../../src/report/verdict.ts';
import { type Parts, report, statsOf } from '../support/build-report.ts';
import { BUSY, EVERY_STATUS, SHA256 } from '../support/file-results.ts';

function reportText(parts: Parts): string {
  const input = report(parts);
  return reportJson(input, verdictOf(input));
}

test('the report of a sync has the upload, the files and what was measured', () => {
  const errors = [{ title: 'No.', reason: [{ text: 'd' }, withMarkup('advice')] }];
  const parsed = JSON.parse(reportText({ ...EVERY_STATUS, errors, warnings: ['w'] }));
  const { $schema, files, totals, ...rest } = parsed;
  assert.match($schema, /report-1\.json$/);
  assert.deepEqual(rest, {
    task: 'sync',
    name: '',
    succeeded: false,
    headline: 'No. Uploaded 2 of 5 files, 1 failed, 1 not attempted, 1 unchanged, 1 skipped.',
    sandboxId: 'i1a2b3',
    baseUrl: 'https://sandbox.example.com',
    dryRun: false,
    cancelled: false,
    digest: '',
    skipped: EVERY_STATUS.skipped,
    orphaned: [],
    retries: 0,
    durationMs: 2000,
    errors: [{ message: 'No.', details: ['d', 'advice'] }],
    warnings: ['w'],
    stats: null,
    figures: null,
    aggregates: {},
    samples: [],
    gate: { state: 'none', breaches: [] },
  });
  assert.deepEqual(totals, {
    planned: 6,
    plannedBytes: 52,
    uploaded: 2,
    unchanged: 1,
    unchangedBytes: 10,
    failed: 1,
    skipped: 2,
    notAttempted: 1,
    uploadedBytes: 12,
  });
  const file = (name: string) => ({ source: name, target: `/home/user/app/${name}`, size: 10 });
  const path = '/home/user/app/a';
  assert.deepEqual(files.slice(0, 5), [
    { ...file('a'), size: 7, status: 'uploaded', attempts: 1, durationMs: 5, path },
    { ...file('b'), status: 'failed', attempts: 3, durationMs: 7, error: BUSY },
    { ...file('c'), status: 'skipped', reason: 'dry run' },
    { ...file('d'), status: 'not-attempted', reason: 'the sandbox was not ready' },
    { ...file('e'), status: 'unchanged', path: '/home/user/app/e', sha256: SHA256 },
  ]);
});

test('the report has the samples, the monitored time, and everything that the agent sent', () => {
  const monitored = { from: 1, to: 2 };
  const sample = { at: 1, ...statsOf({ load: 1.5 }), json: '{"load":1.5,"host":"h"}' };
  const text = reportText({ samples: [sample], monitored });
  const { figures, samples, monitored: kept, stats } = JSON.parse(text);
  assert.deepEqual(
    [figures, samples[0].figures, kept, stats],
    [{ load: 1.5 }, { load: 1.5 }, monitored, { load: 1.5, host: 'h' }],
  );
});
