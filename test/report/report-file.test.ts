import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportJson } from '../../src/report/outputs.ts';
import type { Report } from '../../src/report/report.ts';
import { parseExactly } from '../../src/text/exact-json.ts';
import {
  BUSY,
  failed,
  notAttempted,
  report,
  STATS,
  skipped,
  statsOf,
  unchanged,
  uploaded,
} from './reports.ts';

function written(parts: Partial<Report>): Record<string, unknown> {
  const parsed = parseExactly([...reportJson(report(parts))].join(''));
  assert.ok(typeof parsed === 'object' && parsed !== null);
  return { ...parsed };
}

test('it holds everything about a run', () => {
  const files = [uploaded('a'), failed('b'), skipped('c'), notAttempted('d'), unchanged('e')];
  const leftOut = [{ path: 'l', reason: 'a broken link' }];
  const errors = [{ message: 'No stats.', details: ['Try again.'] }];
  assert.deepEqual(written({ files, leftOut, errors, warnings: ['w'] }), {
    schema: 1n,
    task: 'sync',
    succeeded: false,
    headline: '1 of 4 files arrived, 1 failed, 1 not attempted, 1 unchanged. No stats.',
    totals: {
      planned: 5n,
      plannedBytes: 50n,
      uploaded: 1n,
      unchanged: 1n,
      unchangedBytes: 10n,
      failed: 1n,
      skipped: 2n,
      notAttempted: 1n,
      uploadedBytes: 10n,
    },
    sandboxId: 'i1a2b3',
    baseUrl: 'https://sandbox.example.com',
    dryRun: false,
    cancelled: false,
    leftOut,
    durationMs: 2000n,
    errors,
    warnings: ['w'],
    stats: null,
    figures: null,
    aggregates: {},
    samples: [],
    gate: { state: 'none', breaches: [] },
    files: [
      {
        source: 'a',
        target: 'app/a',
        size: 10n,
        status: 'uploaded',
        attempts: 1n,
        durationMs: 5n,
        path: '/home/user/app/a',
      },
      {
        source: 'b',
        target: 'app/b',
        size: 10n,
        status: 'failed',
        attempts: 3n,
        durationMs: 7n,
        error: { kind: 'busy', status: 429n, message: BUSY.message, hint: BUSY.hint },
      },
      { source: 'c', target: 'app/c', size: 10n, status: 'skipped', reason: 'dry run' },
      { source: 'd', target: 'app/d', size: 10n, status: 'not-attempted', reason: 'the job was cancelled' },
      { source: 'e', target: 'app/e', size: 10n, status: 'unchanged', path: '/home/user/app/e' },
    ],
  });
});

test('the schema number comes first', () => {
  assert.match([...reportJson(report())].join(''), /^\{"schema":1,/);
});

test('the stats keep their digits, and the figures are exact', () => {
  const stats = statsOf({ disk_total: '9223372036854775807', disk_used: 1, load: '1.50', big: '1e400' });
  const text = [...reportJson(report({ stats }))].join('');
  assert.match(text, /"load":1\.50,/);
  assert.match(text, /"big":1e400/);
  const { figures, stats: sent } = written({ stats });
  assert.deepEqual(figures, {
    disk_total: 9223372036854775807n,
    disk_used: 1n,
    load: 1.5,
    disk_used_pct: 0n,
    disk_free: 9223372036854775806n,
  });
  assert.deepEqual(sent, { disk_total: 9223372036854775807n, disk_used: 1n, load: 1.5, big: Infinity });
});

test('names that are no text are written as JSON that any parser reads', () => {
  const name = 'a\ud800b\u0000"\\\n\u2028😀';
  const text = [...reportJson(report({ files: [uploaded(name)], warnings: ['\udfff'], stats: STATS }))].join(
    '',
  );
  assert.ok(text.isWellFormed());
  const { files }: { files: { source: string }[] } = JSON.parse(text);
  assert.equal(files[0]?.source, name);
});

test('hostile field names stay fields', () => {
  const stats = statsOf({ __proto: 1, ['__proto__']: 2, toJSON: 3 });
  const text = [...reportJson(report({ stats }))].join('');
  assert.match(text, /"figures":\{"__proto":1,"__proto__":2,"toJSON":3\}/);
});
