import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { telling } from '../telling.ts';
import { manyFiles, openWorld, runBadly, runWell, uploads, type World } from './harness.ts';

const SHARING = { 'files-per-request': '50', concurrency: '4' };

function assertArrived(world: World, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    assert.deepEqual(world.stored(name).toString(), content.toString(), name);
  }
}

function parameter({ url }: { readonly url: string }, name: string): string | null {
  return new URL(url, 'http://host').searchParams.get(name);
}

function shared(world: World) {
  return uploads(world).filter(({ filenames }) => filenames.length > 1);
}

suite('files that share requests', { concurrency: 2 }, () => {
  test('arrive where they would alone, in fewer requests', async () => {
    const files = { ...manyFiles(200), 'deep/er/index.html': 'one', 'deep/index.html': 'two' };
    await using world = await openWorld({ files });
    const { outputs } = await runWell(world, { files: '**', ...SHARING });
    assertArrived(world, files);
    assert.equal(outputs['uploaded-count'], '202');
    assert.ok(uploads(world).length <= 10, `${uploads(world).length} requests`);
    for (const request of shared(world)) {
      assert.equal(parameter(request, 'path'), null);
      assert.ok(request.filenames.length <= 50);
    }
  });

  test('have the user and the target of the step', async () => {
    const files = manyFiles(20);
    await using world = await openWorld({ files });
    await runWell(world, { files: '**', target: '/srv/app', username: 'root', ...SHARING });
    for (const [name, content] of Object.entries(files)) {
      assert.equal(world.stored(`/srv/app/${name}`).toString(), content.toString());
    }
    for (const request of shared(world)) assert.equal(parameter(request, 'username'), 'root');
    assert.ok(shared(world).length > 0);
  });

  test('are small: large ones and names that parsers read differently go alone', async () => {
    const odd = ['a"b', 'a\\b', 'ü', 'a;b', 'a%41', ' a', 'a\nb'].filter(canBeNamed);
    const files = {
      ...manyFiles(20),
      ...Object.fromEntries(odd.map(name => [name, name])),
      large: 'x'.repeat(300_000),
    };
    await using world = await openWorld({ files });
    await runWell(world, { files: '**', ...SHARING });
    assertArrived(world, files);
    const together = shared(world).flatMap(({ filenames }) => filenames);
    for (const name of [...odd, 'large']) assert.ok(!together.includes(name), name);
    assert.ok(together.length > 1);
    for (const { bodyBytes } of shared(world)) assert.ok(bodyBytes <= 1024 * 1024);
  });

  test('go alone from then on where the agent takes one file a request', async () => {
    const files = manyFiles(100);
    await using world = await openWorld({ files, withoutPath: 'one file' });
    const { outputs, stdout } = await runWell(world, { files: '**', ...SHARING });
    assertArrived(world, files);
    assert.equal(outputs['uploaded-count'], '100');
    assert.equal(shared(world).length, 1);
    assert.match(
      stdout,
      /::warning::The agent did not store all 2 files of one request\. From now on, each is sent alone\.$/m,
    );
  });

  for (const [prefix, inputs] of Object.entries({ Svc: SHARING, E2b: {} })) {
    test(`go alone from then on where the agent takes the last part of a filename for its path, behind ${prefix}`, async () => {
      const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`in/${index}/index`, `${index}`]));
      await using world = await openWorld({ files, withoutPath: 'last part of filename', headerPrefix: prefix });
      const result = await runWell(world, { files: '**', 'header-prefix': prefix, ...inputs });
      assertArrived(world, files);
      assert.equal(result.outputs['uploaded-count'], '100');
      assert.equal(shared(world).length, 1);
      assert.match(result.annotations('warning').join(), /^The agent did not store all 2 files of one request/);
    });
  }

  test('do so by themselves behind the headers of E2B alone', async () => {
    for (const [prefix, isShared] of Object.entries({ e2b: true, Svc: false })) {
      await using world = await openWorld({ files: manyFiles(50), headerPrefix: prefix });
      const { outputs } = await runWell(world, { files: '**', 'header-prefix': prefix });
      assert.equal(outputs['uploaded-count'], '50');
      assert.equal(shared(world).length > 0, isShared, prefix);
    }
  });

  test('are not overwritten by one that such an agent takes for them', async () => {
    const files = { b: 'of its own', large: 'x'.repeat(300_000), 'in/b': 'in', 'in/large': 'small', z: 'z' };
    await using world = await openWorld({ files, withoutPath: 'last part of filename' });
    const { outputs } = await runWell(world, { files: '**', ...SHARING });
    assert.equal(outputs['uploaded-count'], '5');
    assertArrived(world, files);
  });

  test('never make the content of another count as unchanged', async () => {
    const files = { b: 'of its own', 'in/a': 'a', 'in/b': 'b' };
    await using world = await openWorld({ files, withoutPath: 'last part of filename' });
    const inputs = { ...SHARING, 'state-file': 'state.json' };
    await runWell(world, { files: '**', ...inputs });
    world.write({ 'in/a': 'new a', 'in/b': 'new b' });
    await runWell(world, { files: 'in/**', target: 'in', ...inputs });
    await runWell(world, { files: '**', ...inputs });
    world.write({ 'in/a': 'newer a', 'in/b': 'newer b' });
    const { outputs } = await runWell(world, { files: '**', ...inputs });
    assert.equal(outputs['unchanged-count'], '0');
    assertArrived(world, { ...files, 'in/a': 'newer a', 'in/b': 'newer b' });
  });

  test('are sent again, each alone, where an answer leaves one of them out', async () => {
    const files = { a: 'a', b: 'b' };
    const entry = (name: string) => ({ path: `/home/user/${name}`, name, type: 'file' });
    const answers = { short: ['a'], shifted: ['b'], swapped: ['b', 'a'], long: ['a', 'b', 'c'] };
    for (const [name, names] of telling(answers, ['short', 'swapped'])) {
      const body = JSON.stringify(names.map(entry));
      await using world = await openWorld({ files });
      world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'answer', body } });
      const { outputs, report } = await runWell(world, { files: '**', ...SHARING });
      assert.equal(outputs['uploaded-count'], '2', name);
      const again = uploads(world).flatMap(request => parameter(request, 'path') ?? []);
      assert.deepEqual(again.sort(), Object.keys(files), name);
      assert.deepEqual(new Set(report.files.map(({ attempts }) => attempts)), new Set([2]));
    }
  });

  test('that none was stored of are never reported as arrived', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b' } });
    world.agent.addFaults({ on: 'upload', do: { kind: 'answer', body: '[]' } });
    const result = await runBadly(world, { files: '**', ...SHARING });
    assert.deepEqual(result.annotations('warning'), []);
    assert.equal(result.outputs['uploaded-count'], '0');
    assert.equal(result.outputs['failed-count'], '2');
  });

  test('of which a part may have arrived are failed where the transfer ends before they are sent again', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
    const inputs = { files: '**', ...SHARING, concurrency: '1', 'state-file': 'state.json' };
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
        ['not-attempted', undefined],
        ['unchanged', undefined],
      ],
    );
    assert.match(report.files[1]?.error?.message ?? '', /holds 0 file entries, where 2 were expected/);
    // What the sandbox holds of the first two now is not known.
    const state = readFileSync(path.join(world.workspace, 'state.json'), 'utf8');
    assert.deepEqual(state.match(/"target":"."/g), ['"target":"c"', '"target":"d"']);
  });

  test('are tried again together after a failure of the moment', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'status', status: 503 } });
    const { report, stdout } = await runWell(world, { files: '**', ...SHARING, concurrency: '1' });
    const attempts = report.files.map(file => file.attempts);
    assert.deepEqual(attempts, [2, 2, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert.equal(uploads(world).length, 3);
    assert.match(stdout, /Attempt 1 for \S+ and 1 more failed/);
  });

  test('end the transfer where a token is refused', async () => {
    await using world = await openWorld({ files: manyFiles(200) });
    world.agent.addFaults({ on: 'upload', do: { kind: 'status', status: 401 } });
    const { outputs } = await runBadly(world, { files: '**', ...SHARING, concurrency: '1' });
    assert.equal(uploads(world).length, 1);
    assert.equal(outputs['failed-count'], '2');
  });

  test('do not suffer from one that is gone', async () => {
    await using world = await openWorld({ files: { a: 'a', b: 'b', c: 'c', d: 'd' } });
    let gone = false;
    const remove = () => {
      if (!gone) rmSync(path.join(world.workspace, 'd'));
      gone = true;
    };
    world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'status', status: 503 } });
    const inputs = { files: '**', ...SHARING, concurrency: '1' };
    const { outputs, report } = await runBadly(world, inputs, { onRequest: remove });
    assert.equal(outputs['uploaded-count'], '3');
    assert.equal(report.files.find(file => file.status === 'failed')?.target, 'd');
    assert.deepEqual(
      shared(world).map(({ filenames }) => filenames.length),
      [2],
    );
  });

  test('cannot go with a signature', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { ...SHARING, signature: 'c2lnbmF0dXJl' });
    assert.match(result.annotations('error').join(), /files-per-request: "50" cannot be combined with a signature/);
    assert.equal(world.agent.connections(), 0);
  });
});
