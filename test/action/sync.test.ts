import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { truncateSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { canBeNamed } from '../system.ts';
import {
  type Files,
  METRICS,
  openWorld,
  type Result,
  runMeasured,
  runWell,
  STATS_OUTPUTS,
} from './harness.ts';

const KIB = 1024;

const NAMED: Files = {
  'plain.txt': 'text',
  empty: '',
  'deep/er/still/file.bin': randomBytes(1000),
  'with space/and  two.txt': 'space',
  '"double" and \'single\'': 'quotes',
  '100%/%41%.txt': 'percent',
  'a#b?c+d&e=f;g.txt': 'URL',
  'naïve/日本語/😀.txt': 'beyond ASCII',
  'line\nbreak\r\n.txt': 'newline',
  'back\\slash.txt': 'backslash',
  'almost-buffered': randomBytes(256 * KIB),
  'just-streamed': randomBytes(256 * KIB + 1),
  'large.bin': randomBytes(3 * KIB * KIB),
};

const TREE: Files = Object.fromEntries(Object.entries(NAMED).filter(([name]) => canBeNamed(name)));
const BYTES = Object.values(TREE).reduce((sum, content) => sum + Buffer.byteLength(content), 0);

suite('a run where all goes well', { concurrency: 2 }, () => {
  test('brings a tree into the sandbox byte for byte', async () => {
    await using world = await openWorld({ files: TREE });
    const result = await runWell(world);
    for (const [name, content] of Object.entries(TREE)) {
      assert.deepEqual(world.stored(name), Buffer.from(content), name);
    }
    assert.equal(result.outputs['uploaded-count'], String(Object.keys(TREE).length));
    assert.equal(result.outputs['uploaded-bytes'], String(BYTES));
    assertReported(result);
  });

  test('takes little memory, however large a file is', async () => {
    await using world = await openWorld();
    // Not kept in this process, whose memory would count at the start of the action's.
    truncateSync(path.join(world.workspace, 'a.txt'), 256 * KIB * KIB);
    const { peak, outputs } = await runMeasured(world);
    assert.equal(outputs['uploaded-bytes'], `${256 * KIB * KIB}`);
    assert.ok(peak < 160 * KIB * KIB, `${peak} bytes`);
  });

  test('leaves every output with its exact value', async () => {
    await using world = await openWorld({ files: { 'd/b.txt': 'bb', 'a.txt': 'a' } });
    const { outputs } = await runWell(world, { target: '/app' });
    const { uploaded = '', report = '', aggregates = '', ...others } = outputs;
    const { disk_used } = JSON.parse(aggregates);
    assert.deepEqual(disk_used, {
      last: 1234567890,
      min: 1234567890,
      max: 1234567890,
      mean: 1234567890,
    });
    assert.deepEqual(new Set(JSON.parse(uploaded)), UPLOADED);
    assert.match(report, /[\\/]temp[\\/].*\.json$/);
    assert.deepEqual(others, OUTPUTS);
  });

  test('tells in the summary the verdict first, then the stats and the totals', async () => {
    await using world = await openWorld({ files: { 'a.txt': 'x'.repeat(2 * KIB) } });
    const { summary } = await runWell(world);
    assert.match(summary, /^<h3>✅ Sandbox Sync \(.*\): Uploaded 1 file \(2 KiB\) in /);
    for (const text of [
      '2.0&nbsp;GiB&nbsp;(25.0&nbsp;%)',
      '8.0&nbsp;GiB',
      '1.1&nbsp;GiB&nbsp;(11.5&nbsp;%)',
      '10.0&nbsp;GiB',
      '12.5&nbsp;%',
      '4&nbsp;cores',
      'Searching',
      'Sampling',
    ]) {
      assert.ok(summary.includes(text), `${text} is missing in ${summary}`);
    }
    assert.match(summary, /<details><summary>1 file<\/summary>[\s\S]*a\.txt[\s\S]*<\/details>/);
  });

  test('takes a bare entry and an array of one alike', async () => {
    for (const entryShape of ['object', 'array'] as const) {
      await using world = await openWorld({ entryShape });
      const result = await runWell(world);
      assert.equal(result.file('a.txt').path, '/home/user/a.txt');
    }
  });

  test('takes an entry whose path is relative to some directory of the service', async () => {
    await using world = await openWorld({
      faults: [{ on: 'upload', do: { kind: 'answer', body: ENTRY } }],
    });
    const { outputs } = await runWell(world);
    assert.deepEqual(JSON.parse(outputs['uploaded'] ?? ''), [
      { source: 'a.txt', path: 'ws/a.txt', size: 4 },
    ]);
  });
});

const ENTRY = '{"path":"ws/a.txt","name":"a.txt","type":"file","metadata":{"k":"v"},"more":[1]}';

const UPLOADED = new Set([
  { source: 'a.txt', path: '/app/a.txt', size: 1 },
  { source: 'd/b.txt', path: '/app/d/b.txt', size: 2 },
]);

const OUTPUTS = {
  'uploaded-count': '2',
  'unchanged-count': '0',
  'failed-count': '0',
  'skipped-count': '0',
  'hidden-count': '0',
  'uploaded-bytes': '3',
  digest: '',
  checksums: '',
  ...STATS_OUTPUTS,
};

/** Asserts one result per planned file, with attempts and duration. */
function assertReported({ report }: Result): void {
  assert.match(report.$schema, /\/schema\/report-1\.json$/);
  assert.equal(report.succeeded, true);
  assert.deepEqual(new Set(report.files.map(file => file.source)), new Set(Object.keys(TREE)));
  assert.equal(report.files.length, Object.keys(TREE).length);
  for (const { source, size, status, attempts, durationMs = -1, path } of report.files) {
    assert.deepEqual([status, attempts], ['uploaded', 1]);
    assert.equal(size, Buffer.byteLength(TREE[source] ?? ''));
    assert.equal(path, `/home/user/${source}`);
    assert.ok(durationMs >= 0 && durationMs <= report.durationMs);
  }
  assert.deepEqual(report.stats, METRICS);
}
