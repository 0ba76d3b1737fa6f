import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregatesOf, reportJson } from '../../src/report/outputs.ts';
import type { Report } from '../../src/report/report.ts';
import { parseExactly } from '../../src/text/exact-json.ts';
import { BUSY, EVERY_END, FULL, failed, report, statsOf, uploaded } from './reports.ts';

const HUGE = '9223372036854775807';

const written = (parts: Partial<Report>) => {
  const { samples = [] } = parts;
  return [...reportJson(report(parts), aggregatesOf(samples))].join('');
};

test('holds everything about a run, its schema number first', () => {
  const text = written({ ...EVERY_END, errors: [{ message: 'No.', details: ['d'] }], warnings: ['w'] });
  assert.match(text, /^\{"schema":1,/);
  const { files, totals, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    schema: 1,
    task: 'sync',
    succeeded: false,
    headline: '2 of 5 files arrived, 1 failed, 1 not attempted, 1 unchanged. No.',
    sandboxId: 'i1a2b3',
    baseUrl: 'https://sandbox.example.com',
    dryRun: false,
    cancelled: false,
    leftOut: EVERY_END.leftOut,
    durationMs: 2000,
    errors: [{ message: 'No.', details: ['d'] }],
    warnings: ['w'],
    stats: null,
    figures: null,
    aggregates: {},
    samples: [],
    gate: { state: 'none', breaches: [] },
  });
  assert.deepEqual(totals, {
    planned: 6,
    plannedBytes: 50,
    uploaded: 2,
    unchanged: 1,
    unchangedBytes: 10,
    failed: 1,
    skipped: 2,
    notAttempted: 1,
    uploadedBytes: 12,
  });
  const error = { kind: 'busy', status: 429, message: BUSY.message, hint: BUSY.hint };
  const file = (name: string) => ({ source: name, target: `app/${name}`, size: 10 });
  const path = '/home/user/app/a';
  assert.deepEqual(files.slice(0, 5), [
    { ...file('a'), size: 7, status: 'uploaded', attempts: 1, durationMs: 5, path },
    { ...file('b'), status: 'failed', attempts: 3, durationMs: 7, error },
    { ...file('c'), status: 'skipped', reason: 'dry run' },
    { ...file('d'), status: 'not-attempted', reason: 'the job was cancelled' },
    { ...file('e'), status: 'unchanged', path: '/home/user/app/e' },
  ]);
});

test('has each file once, in order, however many', () => {
  const names = Array.from({ length: 1001 }, (_, index) => String(index));
  const { files }: { files: { source: string }[] } = JSON.parse(written({ files: names.map(name => uploaded(name)) }));
  assert.deepEqual(
    files.map(({ source }) => source),
    names,
  );
});

test('keeps the digits of the stats, and exact figures, of every sample', () => {
  const stats = statsOf({ disk_total: HUGE, disk_used: 1, load: '1.50', big: '1e400' });
  const text = written({ stats, samples: [{ at: 5, figures: stats.figures }], files: [failed('a', FULL)] });
  assert.ok(text.includes(`\n"stats": {"disk_total":${HUGE},"disk_used":1,"load":1.50,"big":1e400},\n`));
  const parsed = parseExactly(text);
  assert.ok(typeof parsed === 'object' && parsed !== null && 'figures' in parsed && 'samples' in parsed);
  assert.deepEqual(parsed.figures, {
    disk_total: 9223372036854775807n,
    disk_used: 1n,
    load: 1.5,
    disk_used_pct: 0n,
    disk_free: 9223372036854775806n,
  });
  assert.deepEqual(parsed.samples, [{ at: 5n, figures: parsed.figures }]);
  assert.ok(text.includes(`"hint":"${FULL.hint} It uses 1 B of 8 EiB."`));
});

test('is JSON that any parser reads, whatever the names', () => {
  const name = 'a\ud800b\u0000"\\\n\u2028😀';
  const stats = statsOf({ __proto: 1, ['__proto__']: 2, toJSON: 3 });
  const text = written({ files: [uploaded(name)], warnings: ['\udfff'], stats });
  assert.ok(text.isWellFormed());
  assert.equal(JSON.parse(text).files[0].source, name);
  assert.ok(text.includes('"figures":{"__proto":1,"__proto__":2,"toJSON":3}'));
});
