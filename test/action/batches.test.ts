import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { telling } from '../telling.ts';
import { manyFiles, openWorld, runBadly, runWell, uploads, type World } from './harness.ts';

const BATCHES = { 'files-per-request': '50', concurrency: '4' };

function assertArrived(world: World, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    assert.deepEqual(world.stored(name).toString(), content.toString(), name);
  }
}

function parameter({ url }: { readonly url: string }, name: string): string | null {
  return new URL(url, 'http://host').searchParams.get(name);
}

function warningOf(count: number): string {
  return `The agent did not store all ${count} files of one request. From now on, each is sent alone.`;
}

function batches(world: World) {
  return uploads(world).filter(({ filenames }) => filenames.length > 1);
}

suite('a batch', { concurrency: 2 }, () => {
  test('stores files where they would arrive alone, with fewer requests', async () => {
    const files = { ...manyFiles(200), 'deep/er/index.html': 'one', 'deep/index.html': 'two' };
    await using world = await openWorld({ files });
    const { outputs } = await runWell(world, { files: '**', ...BATCHES });
    assertArrived(world, files);
    assert.equal(outputs['uploaded-count'], '202');
    assert.equal(uploads(world).length, 5);
    for (const request of batches(world)) {
      assert.equal(parameter(request, 'path'), null);
      assert.ok(request.filenames.length <= 50);
    }
  });

  test('has the user and the target of the step', async () => {
    const files = manyFiles(20);
    await using world = await openWorld({ files });
    await runWell(world, { files: '**', target: '/srv/app', username: 'root', ...BATCHES });
    for (const [name, content] of Object.entries(files)) {
      assert.equal(world.stored(`/srv/app/${name}`).toString(), content.toString());
    }
    for (const request of batches(world)) assert.equal(parameter(request, 'username'), 'root');
    assert.ok(batches(world).length > 0);
  });

  test('holds no large files, and no names that parsers read differently', async () => {
    const odd = ['a"b', 'a\\b', 'ü', 'a;b', 'a%41', ' a', 'a\nb'].filter(canBeNamed);
    const files = {
      ...manyFiles(20),
      ...Object.fromEntries(odd.map(name => [name, name])),
      large: 'x'.repeat(300_000),
    };
    await using world = await openWorld({ files });
    await runWell(world, { files: '**', ...BATCHES });
    assertArrived(world, files);
    const together = batches(world).flatMap(({ filenames }) => filenames);
    for (const name of [...odd, 'large']) assert.ok(!together.includes(name), name);
    assert.ok(together.length > 1);
    for (const { bodyBytes } of batches(world)) assert.ok(bodyBytes <= 1024 * 1024);
  });

  test('is the last one if the agent takes one file a request', async () => {
    const files = manyFiles(100);
    await using world = await openWorld({ files, withoutPath: 'one file' });
    const inputs = { files: '**', 'files-per-request': '10', concurrency: '1' };
    const { outputs, annotations } = await runWell(world, inputs);
    assertArrived(world, files);
    assert.equal(outputs['uploaded-count'], '100');
    assert.equal(batches(world).length, 1);
    assert.deepEqual(annotations('warning'), [warningOf(10)]);
  });

  test('that is refused ends batching once those in flight have ended', async () => {
    const files = manyFiles(100);
    await using world = await openWorld({ files, withoutPath: 'one file' });
    const inputs = { files: '**', 'files-per-request': '5', concurrency: '4' };
    const { outputs, annotations } = await runWell(world, inputs);
    assertArrived(world, files);
    assert.equal(outputs['uploaded-count'], '100');
    assert.ok(batches(world).length <= 4, `${batches(world).length} batches`);
    assert.deepEqual(annotations('warning'), [warningOf(5)]);
  });

  for (const [prefix, inputs] of Object.entries({ Svc: BATCHES, E2b: {} })) {
    test(`is not repeated if the agent drops folders, behind ${prefix}`, async () => {
      const files = Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`in/${index}/index`, `${index}`]),
      );
      await using world = await openWorld({
        files,
        withoutPath: 'last part of filename',
        headerPrefix: prefix,
      });
      const result = await runWell(world, { files: '**', 'header-prefix': prefix, ...inputs });
      assertArrived(world, files);
      assert.equal(result.outputs['uploaded-count'], '100');
      assert.ok(batches(world).length <= 4, `${batches(world).length} batches`);
      assert.match(
        result.annotations('warning').join(),
        /^The agent did not store all \d+ files of one request/,
      );
    });
  }

  test('is the default behind the headers of E2B, and nowhere else', async () => {
    for (const [prefix, isBatched] of Object.entries({ e2b: true, Svc: false })) {
      await using world = await openWorld({ files: manyFiles(50), headerPrefix: prefix });
      const { outputs } = await runWell(world, { files: '**', 'header-prefix': prefix });
      assert.equal(outputs['uploaded-count'], '50');
      assert.equal(batches(world).length > 0, isBatched, prefix);
    }
  });

  test('never overwrites a file that arrived alone, if the agent drops folders', async () => {
    const files = {
      b: 'of its own',
      large: 'x'.repeat(300_000),
      'in/b': 'in',
      'in/large': 'small',
      z: 'z',
    };
    await using world = await openWorld({ files, withoutPath: 'last part of filename' });
    const { outputs } = await runWell(world, { files: '**', ...BATCHES });
    assert.equal(outputs['uploaded-count'], '5');
    assertArrived(world, files);
  });

  test('that is refused after a part was stored never leaves a file overwritten', async () => {
    // in/ holds two files of one name: an agent that drops folders stores the first over the top
    // one and refuses the second.
    const files = { a: 'a', b: 'top', 'in/0/b': '0', 'in/1/b': '1' };
    await using world = await openWorld({ files, withoutPath: 'last part of filename' });
    const inputs = { 'files-per-request': '2', concurrency: '1' };
    const { outputs } = await runWell(world, { files: '**', ...inputs });
    assert.equal(outputs['uploaded-count'], '4');
    assertArrived(world, files);
  });

  test('never makes the content of another file count as unchanged', async () => {
    const files = { b: 'of its own', 'in/a': 'a', 'in/b': 'b' };
    await using world = await openWorld({ files, withoutPath: 'last part of filename' });
    const inputs = { ...BATCHES, 'state-file': 'state.json' };
    await runWell(world, { files: '**', ...inputs });
    world.write({ 'in/a': 'new a', 'in/b': 'new b' });
    await runWell(world, { files: 'in/**', target: 'in', ...inputs });
    await runWell(world, { files: '**', ...inputs });
    world.write({ 'in/a': 'newer a', 'in/b': 'newer b' });
    const { outputs } = await runWell(world, { files: '**', ...inputs });
    assert.equal(outputs['unchanged-count'], '0');
    assertArrived(world, { ...files, 'in/a': 'newer a', 'in/b': 'newer b' });
  });

  test('is sent again, each file alone, if the answer is not exactly its files', async () => {
    const files = { a: 'a', b: 'b' };
    const entry = (name: string) => ({ path: `/home/user/${name}`, name, type: 'file' });
    const answers = {
      none: [],
      short: ['a'],
      shifted: ['b'],
      swapped: ['b', 'a'],
      long: ['a', 'b', 'c'],
    };
    for (const [name, names] of telling(answers, ['short', 'swapped'])) {
      const body = JSON.stringify(names.map(entry));
      await using world = await openWorld({ files });
      world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'answer', body } });
      const { outputs, report } = await runWell(world, { files: '**', ...BATCHES });
      assert.equal(outputs['uploaded-count'], '2', name);
      const again = uploads(world).flatMap(request => parameter(request, 'path') ?? []);
      assert.deepEqual(again.sort(), Object.keys(files), name);
      assert.deepEqual(new Set(report.files.map(({ attempts }) => attempts)), new Set([2]));
    }
  });

  test('that is never acknowledged does not count any of its files as uploaded', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b' } });
    world.agent.addFaults({ on: 'upload', do: { kind: 'answer', body: '[]' } });
    const result = await runBadly(world, { files: '**', ...BATCHES });
    assert.deepEqual(result.annotations('warning'), []);
    assert.equal(result.outputs['uploaded-count'], '0');
    assert.equal(result.outputs['failed-count'], '2');
  });

  test('with a wrong answer leaves nothing in the state if the transfer then ends', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
    const inputs = { files: '**', ...BATCHES, concurrency: '1', 'state-file': 'state.json' };
    await runWell(world, inputs);
    world.write({ a: 'A', b: 'B', c: 'C' });
    world.agent.addFaults(
      { on: 'upload', times: 1, do: { kind: 'answer', body: '[]' } },
      { on: 'upload', do: { kind: 'status', status: 401 } },
    );
    const { report } = await runBadly(world, inputs);
    assert.deepEqual(
      report.files.map(({ status, attempts }) => [status, attempts]),
      [
        ['failed', 2],
        ['failed', 1],
        ['failed', 1],
        ['not-attempted', undefined],
      ],
    );
    assert.match(report.files[1]?.error?.message ?? '', /it lists 0 files instead of 3/);
    // A file of the batch may have landed on d.
    const state = readFileSync(path.join(world.workspace, 'state.json'), 'utf8');
    assert.equal(state.match(/"target"/g), null);
  });

  test('with a wrong answer sends files again that had arrived, or were unchanged', async () => {
    const files = { a: 'a', b: 'b', large: 'x'.repeat(300_000), same: 'same' };
    await using world = await openWorld({ files });
    const inputs = { files: '**', ...BATCHES, concurrency: '1', 'state-file': 'state.json' };
    await runWell(world, { ...inputs, files: 'same' });
    const before = uploads(world).length;
    // In plan order: a and b together, then large, then the batch with the wrong answer.
    world.write({ y: 'y', z: 'z' });
    world.agent.addFaults({
      on: 'upload',
      skip: 2,
      times: 1,
      do: { kind: 'answer', body: '[]' },
    });
    const { outputs, report } = await runWell(world, { ...inputs, 'files-per-request': '2' });
    assert.deepEqual([outputs['uploaded-count'], outputs['unchanged-count']], ['6', '0']);
    const alone = uploads(world)
      .slice(before + 3)
      .flatMap(request => parameter(request, 'path') ?? []);
    assert.deepEqual(alone.toSorted(), ['a', 'b', 'large', 'same', 'y', 'z']);
    assert.deepEqual(
      report.files.map(({ source, attempts }) => [source, attempts]),
      [
        ['a', 1],
        ['b', 1],
        ['large', 1],
        ['same', 1],
        ['y', 2],
        ['z', 2],
      ],
    );
    const again = await runWell(world, inputs);
    assert.equal(again.outputs['unchanged-count'], '6');
  });

  test('is sent again whole after a failure of the moment', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'status', status: 503 } });
    const { report, stdout } = await runWell(world, { files: '**', ...BATCHES, concurrency: '1' });
    const attempts = report.files.map(file => file.attempts);
    assert.deepEqual(attempts, Array(10).fill(2));
    assert.equal(uploads(world).length, 2);
    assert.match(stdout, /Attempt 1 for \S+ and 9 more failed/);
  });

  for (const [retries, most] of Object.entries({ 0: 2, 1: 4, 2: 6 })) {
    test(`counts its attempts for its files: at most ${most} requests for two with retries ${retries}`, async () => {
      await using world = await openWorld({ files: { a: 'a', b: 'b' } });
      world.agent.addFaults({ on: 'upload', do: { kind: 'status', status: 500 } });
      const { report, outputs } = await runBadly(world, { files: '**', ...BATCHES, retries });
      assert.equal(outputs['failed-count'], '2');
      const requests = uploads(world).length;
      assert.ok(requests <= most, `${requests} requests`);
      for (const { attempts = 0 } of report.files)
        assert.ok(attempts > 0 && attempts <= Number(retries) + 1, `${attempts} attempts`);
    });
  }

  test('ends the transfer if the token is refused', async () => {
    await using world = await openWorld({ files: manyFiles(200) });
    world.agent.addFaults({ on: 'upload', do: { kind: 'status', status: 401 } });
    const { report } = await runBadly(world, { files: '**', ...BATCHES, concurrency: '1' });
    assert.equal(uploads(world).length, 1);
    assert.deepEqual([report.totals['failed'], report.totals['notAttempted']], [50, 150]);
  });

  test('does not suffer from a file that is gone', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
    const remove = () => rmSync(path.join(world.workspace, 'd'), { force: true });
    world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'status', status: 503 } });
    const inputs = { files: '**', ...BATCHES, concurrency: '1' };
    const { outputs, report } = await runBadly(world, inputs, { onRequest: remove });
    assert.equal(outputs['uploaded-count'], '3');
    assert.equal(report.files.find(file => file.status === 'failed')?.target, 'd');
    assert.deepEqual(
      batches(world).map(({ filenames }) => filenames.length),
      [3],
    );
  });

  test('cannot have a signature', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { ...BATCHES, signature: 'c2lnbmF0dXJl' });
    assert.match(
      result.annotations('error').join(),
      /files-per-request: "50" cannot be combined with a signature/,
    );
    assert.equal(world.agent.connections(), 0);
  });
});
