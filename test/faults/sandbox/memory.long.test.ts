import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles } from '../../action/world.ts';
import { answer, entryOf, type Talk } from './hostile.ts';
import { type HostileRun, MAX_MEMORY, PEAK_MEMORY, runAgainst } from './running.ts';

/** More than is ever read of an answer. */
const MOST = 1024 * 1024;

const LESS = 120_000;

const MAX_HEAP_MIB = 48;

const MAX_MEMORY_OF_MANY = 250 * 1024 * 1024;

function flat(value: string, size = MOST): string {
  const field = (index: number) => `"m${index}":${value}`;
  const fields = Array.from(
    { length: Math.floor(size / (field(100_000).length + 1)) },
    (_, index) => field(index),
  );
  return `{${fields.join(',')}}`;
}

const deep = (open: string, close: string, size = MOST) => {
  const count = Math.floor((size - 20) / (open.length + close.length));
  return `${open.repeat(count)}0${close.repeat(count)}`;
};

/** Stats of a megabyte. */
const STATS: Readonly<Record<string, string>> = {
  'lists in lists': deep('[', ']'),
  'a list of lists in a field': `{"ts":1,"a":${deep('[', ']')}}`,
  'objects in objects': deep('{"a":', '}'),
  'objects in objects, as deep as can be read': deep('{"a":', '}', 15_000),
  'many numbers': flat('1'),
  'many fractions': flat('0.1'),
  'many names of control characters': flat('1').replaceAll('"m', '"\\u0007'),
  'one number of many digits': `{"ts":1,"mem_used":${'9'.repeat(MOST - 40)},"x":2}`,
  'one name': `{"${'\\u001b'.repeat(170_000)}":1}`,
  'empty objects': `{"a":[${'{},'.repeat(340_000)}0]}`,
};

async function runSmall(
  t: { diagnostic(message: string): void },
  { mostBytes = MAX_MEMORY, ...run }: HostileRun & { readonly mostBytes?: number },
) {
  const ended = await runAgainst(run);
  t.diagnostic(`${Math.round(ended.peak / 1024 ** 2)} MiB at most`);
  assert.ok(ended.peak < mostBytes, `${ended.peak} bytes`);
  return ended;
}

/** Stats just short enough to be read, for each limit. */
const READ: Readonly<Record<string, string>> = {
  'lists in lists': deep('[', ']', LESS),
  'objects in objects': deep('{"a":', '}', 3000),
  'many numbers': flat('1', LESS),
  'many names of control characters': flat('1', LESS / 2).replaceAll('"m', '"\\u0007'),
  'one number of many digits': `{"ts":1,"x":${'9'.repeat(LESS)}}`,
  'one fraction of many digits': `{"ts":1,"x":0.${'9'.repeat(LESS)}}`,
  'empty objects': `{"a":[${'{},'.repeat(LESS / 4)}0]}`,
};

suite('whatever is answered, memory and log stay small', { concurrency: 2 }, () => {
  for (const [name, body] of Object.entries(STATS)) {
    test(`stats of a megabyte: ${name}`, async t => {
      const inputs = { 'warn-if': 'gpu_used > 1' };
      await runSmall(t, { stats: answer(200, body), inputs });
    });
  }

  for (const [name, body] of Object.entries(READ)) {
    test(`stats that are read: ${name}`, async t => {
      const samples = name.startsWith('many') ? '3' : '1';
      const inputs = { 'warn-if': 'gpu_used > 1', samples, 'sample-interval': '200ms' };
      const { result } = await runSmall(t, { stats: answer(200, body), inputs });
      if (body.startsWith('{')) assert.equal(result.exitCode, 0, result.stdout);
    });
  }

  for (const name of [
    'lists in lists',
    'objects in objects',
    'many names of control characters',
    'one name',
  ]) {
    test(`acknowledgements of a megabyte: ${name}`, async t => {
      const { result } = await runSmall(t, {
        files: manyFiles(20),
        upload: answer(200, STATS[name] ?? ''),
      });
      assert.equal(result.outputs['failed-count'], '20');
    });
  }

  test('200 files, each answered with a path of a megabyte', async t => {
    const path = '/'.repeat(MOST - 100);
    const upload = answer(200, ({ name }) => entryOf(name, { path }));
    const { result } = await runSmall(t, { files: manyFiles(200), upload });
    assert.equal(result.outputs['failed-count'], '200');
  });

  test('2,000 files, each answered with the longest path that is taken', async t => {
    const upload = answer(200, ({ name }) =>
      entryOf(name, { path: `/${'\u001b'.repeat(1000)}/${name}` }),
    );
    const { result } = await runSmall(t, {
      files: manyFiles(2000),
      upload,
      // Each of these paths takes 6 KiB as JSON, in an output and in the report.
      mostBytes: 400 * 1024 ** 2,
    });
    assert.equal(result.outputs['uploaded-count'], '2000');
  });

  test('200 files, each refused with a megabyte of words of its own', async t => {
    const words = '\u001b'.repeat(150_000);
    const upload = answer(400, ({ name }) => JSON.stringify({ message: `${name} ${words}` }));
    const { result } = await runSmall(t, { files: manyFiles(200), upload });
    assert.equal(result.outputs['failed-count'], '200');
  });

  test('8,000 files, each failing by a reset', async t => {
    const reset: Talk = { at: 'headers', say: socket => void socket.resetAndDestroy() };
    // A transfer is given up after a minute without an arrival.
    const names = Array.from({ length: 100 }, (_, index) => `f${index * 80}.txt`);
    const good = answer(200, ({ name }) => entryOf(name));
    const arriving = Object.fromEntries(names.map(name => [name, good]));
    const { result, peak } = await runAgainst({
      // An error with its stack takes 14 KB and a socket 4 KB: one per file would be too much.
      env: { NODE_OPTIONS: `--import=${PEAK_MEMORY} --max-old-space-size=${MAX_HEAP_MIB}` },
      files: manyFiles(8000),
      upload: reset,
      uploads: arriving,
      inputs: { concurrency: '24' },
      task: 'upload',
      longestMs: 240_000,
    });
    t.diagnostic(`${Math.round(peak / 1024 ** 2)} MiB at most`);
    assert.equal(result.outputs['failed-count'], '7900');
    assert.ok(peak < MAX_MEMORY_OF_MANY, `${peak} bytes`);
  });

  test('several readings of many numbers, of other names each time', async t => {
    let count = 0;
    const stats = answer(200, () =>
      flat('1', LESS).replaceAll('"m', `"${String.fromCharCode(97 + count++)}`),
    );
    const inputs = { samples: '4', 'sample-interval': '200ms', timeout: '20s' };
    await runSmall(t, { stats, inputs });
  });

  test('a wait for a metric that is not among many', async t => {
    const inputs = {
      'wait-until': 'gpu_used > 1\ngpu_free > 1',
      'wait-timeout': '300ms',
      'sample-interval': '200ms',
    };
    const { result } = await runSmall(t, { stats: answer(200, flat('1', LESS)), inputs });
    assert.equal(result.exitCode, 1);
  });
});
