import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { METRICS } from './agent-answers.ts';
import { assertDelivered } from './result.ts';
import { expectSuccess, requestMethods } from './run-action.ts';
import { type Files, openJob } from './test-job.ts';

const KIB = 1024;

const NAMED: Files = {
  'plain.txt': 'text',
  empty: '',
  [`${'d/'.repeat(100)}deep.bin`]: randomBytes(1000),
  'with space/and  two.txt': 'space',
  '"double" and \'single\'': 'quotes',
  '100%/%41%.txt': 'percent',
  'a#b?c+d&e=f;g.txt': 'URL',
  'naïve/日本語/😀.txt': 'beyond ASCII',
  'line\nbreak\r\n.txt': 'newline',
  'back\\slash.txt': 'backslash',
  'almost-streamed': randomBytes(256 * KIB),
  'just-streamed': randomBytes(256 * KIB + 1),
  'large.bin': randomBytes(3 * KIB * KIB),
};

const TREE: Files = Object.fromEntries(Object.entries(NAMED).filter(([name]) => canBeNamed(name)));

/** The outputs for METRICS, without a gate. */
const STATS = {
  ts: '1767225600',
  'cpu-count': '4',
  'cpu-used-pct': '12.5',
  'mem-total': '8589934592',
  'mem-used': '2147483648',
  'mem-total-mib': '8192',
  'mem-used-mib': '2048',
  'disk-total': '10737418240',
  'disk-used': '1234567890',
  'mem-used-pct': '25.00',
  'mem-free': '6442450944',
  'disk-used-pct': '11.50',
  'disk-free': '9502850350',
  stats: JSON.stringify(METRICS),
  gate: 'none',
  breaches: '[]',
};

test('a tree of files is uploaded byte for byte', async () => {
  await using job = await openJob({ files: TREE });
  const result = await expectSuccess(job);
  assertDelivered(job, result);
  const { report, outputs } = result;
  assert.match(report.$schema, /\/schema\/report-1\.json$/);
  assert.equal(report.succeeded, true);
  assert.deepEqual(report.stats, METRICS);
  const bytes = Object.values(TREE).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  assert.equal(outputs['uploaded-bytes'], String(bytes));
  assert.deepEqual(
    new Set(report.files.map(file => [file.source, file.path, file.status, file.attempts])),
    new Set(Object.keys(TREE).map(name => [name, `/home/user/${name}`, 'uploaded', 1])),
  );
  // A body whose blocks were swapped has the same size.
  const large = job.readStored('large.bin');
  const swapped = Buffer.concat([large.subarray(64 * KIB), large.subarray(0, 64 * KIB)]);
  writeFileSync(path.join(job.root, 'home/user/large.bin'), swapped);
  assert.throws(() => assertDelivered(job, result), /large\.bin/);
});

test('every output of a successful sync has its exact value', async () => {
  await using job = await openJob({ files: { 'd/b.txt': 'bb', 'a.txt': 'a' } });
  const { outputs, report: reported } = await expectSuccess(job, { target: '/app' });
  const { report = '', aggregates = '', ...others } = outputs;
  const disk = 1234567890;
  assert.deepEqual(JSON.parse(aggregates).disk_used, {
    last: disk,
    min: disk,
    max: disk,
    mean: disk,
    p50: disk,
    p95: disk,
  });
  assert.deepEqual(
    reported.files.map(({ source, path, size }) => ({ source, path, size })),
    [
      { source: 'a.txt', path: '/app/a.txt', size: 1 },
      { source: 'd/b.txt', path: '/app/d/b.txt', size: 2 },
    ],
  );
  assert.match(report, /[\\/]temp[\\/].*\.json$/);
  assert.deepEqual(others, {
    'uploaded-count': '2',
    'unchanged-count': '0',
    'failed-count': '0',
    'skipped-count': '0',
    'uploaded-bytes': '3',
    digest: '',
    checksums: '',
    'mem-cache': '',
    ...STATS,
  });
});

test('the upload action requests no stats', async () => {
  await using job = await openJob({ files: { 'a.txt': 'a', 'b.txt': 'bb' } });
  const { outputs, summary } = await expectSuccess(job, {}, { task: 'upload' });
  assert.equal(requestMethods(job), 'POST POST');
  assert.deepEqual([outputs['uploaded-count'], outputs['uploaded-bytes']], ['2', '3']);
  assert.doesNotMatch(summary, /CPU|not reported/);
});
