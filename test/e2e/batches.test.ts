import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { canBeNamed } from '../system.ts';
import {
  assertDelivered,
  entryOf,
  type Files,
  manyFiles,
  openFaulty,
  openWorld,
  runBadly,
  runWell,
  status,
  uploads,
} from './harness.ts';

describe('a batch', () => {
  test('stores files where they would arrive alone, but none that are large or oddly named', async () => {
    const together: Files = {
      ...manyFiles(100),
      'deep/er/index.html': 'one',
      'deep/index.html': 'two',
    };
    const odd = ['a"b', 'a\\b', 'ü', 'a;b', 'a%41', 'a\nb'].filter(canBeNamed);
    const alone: Files = {
      ...Object.fromEntries(odd.map(name => [name, name])),
      large: 'x'.repeat(300_000),
    };
    await using world = await openWorld({ files: { ...together, ...alone } });
    const result = await runWell(world, {
      target: '/srv/app',
      username: 'root',
      'files-per-request': '50',
      concurrency: '4',
    });
    for (const [name, content] of Object.entries({ ...together, ...alone }))
      assert.equal(world.stored(`/srv/app/${name}`).toString(), content, name);
    assertDelivered(world, result);
    const batches = uploads(world).filter(({ filenames }) => filenames.length > 1);
    assert.equal(batches.length, 3);
    for (const { url } of batches) assert.equal(url, '/files?username=root');
    assert.deepEqual(
      new Set(batches.flatMap(({ filenames }) => filenames)),
      new Set(Object.keys(together).map(name => `/srv/app/${name}`)),
    );
  });

  test('is the default behind the headers of E2B', async () => {
    await using world = await openWorld({ files: manyFiles(50), headerPrefix: 'e2b' });
    await runWell(world, { 'header-prefix': 'e2b' });
    assert.equal(uploads(world).length, 1);
  });

  test('is sent again whole, and shares its fate, with the advice to send files alone', async () => {
    const files = manyFiles(20);
    await using world = await openFaulty(status(503), { times: 1 }, { files });
    world.agent.addFaults({ on: 'upload', path: 'f5.txt', do: status(500) });
    const inputs = { 'files-per-request': '10', concurrency: '1', retries: '1' };
    const { report, errors, stdout, file } = await runBadly(world, inputs);
    assert.deepEqual([report.totals['failed'], report.totals['uploaded']], [10, 10]);
    assert.equal(file('f5.txt').attempts, 2);
    assert.match(stdout, /Attempt 1 for \S+ and 9 more failed/);
    assert.match(errors, /answered 500[\s\S]*files-per-request: 1/);
  });

  test('that is rejected, or stored elsewhere, ends the transfer: a part may lie anywhere', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
    const inputs = {
      target: 'app',
      'files-per-request': '2',
      concurrency: '1',
      retries: '0',
      'state-file': '.state.json',
    };
    await runWell(world, inputs);
    world.write({ a: 'A', b: 'B', c: 'C' });
    // As agents do that drop folders.
    const elsewhere = JSON.stringify(['a', 'b'].map(name => entryOf(name)));
    for (const [fault, last] of [
      [{ kind: 'answer', body: elsewhere }, 'unchanged'],
      [status(400, '{"message":"you cannot upload multiple files"}'), 'not-attempted'],
    ] as const) {
      world.agent.addFaults({ on: 'upload', times: 1, do: fault });
      const before = uploads(world).length;
      const { report, errors } = await runBadly(world, inputs);
      assert.deepEqual(
        report.files.map(file => file.status),
        ['failed', 'failed', 'not-attempted', last],
      );
      assert.equal(uploads(world).length, before + 1);
      assert.match(errors, /files-per-request: 1/);
      assert.equal(existsSync(path.join(world.workspace, '.state.json')), false);
    }
  });
});
