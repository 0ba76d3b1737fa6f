import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { Fault } from '../../dev/agent/faults.ts';
import {
  answer,
  entryOf,
  type Hostile,
  openHostile,
  type Talk,
} from '../faults/sandbox/hostile.ts';
import { onWindows, WITHOUT_SIGNALS } from '../system.ts';
import { telling } from '../telling.ts';
import {
  type Inputs,
  METRICS,
  openWorld,
  type Result,
  runAction,
  runBadly,
  type World,
  when,
} from './harness.ts';
import {
  changeState,
  hasState,
  known,
  run,
  runWellWith,
  STATE,
  sentBy,
  stateText,
} from './state.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb', 'c.txt': 'ccc' };
const ALL = Object.keys(FILES);

const GOOD = answer(200, ({ name }) => entryOf(name));

/** The fault of a file's second upload. */
function second(name: string, action: Fault['do']): Fault {
  return { on: 'upload', path: name, skip: 1, times: 1, do: action };
}

test('a state file in a workspace that is not there is an input error', async () => {
  await using world = await openWorld();
  const env = { GITHUB_WORKSPACE: path.join(world.outside, 'gone') };
  const { stdout } = await runBadly(world, { 'state-file': STATE }, { env });
  assert.match(stdout, /state-file: .* cannot be read \(ENOENT\)/);
});

suite('a state file has no row for an upload that is not acknowledged', { concurrency: 2 }, () => {
  const failures: Readonly<Record<string, Fault['do']>> = {
    'is refused': { kind: 'status', status: 400 },
    'is acknowledged by another name': {
      kind: 'answer',
      body: '[{"path":"/x","name":"x","type":"file"}]',
    },
    'ends in mid-answer': { kind: 'truncate' },
  };
  for (const [name, action] of telling(failures, ['is acknowledged by another name'])) {
    test(`if it ${name}, the old content is sent again`, async () => {
      await using world = await openWorld({ files: FILES, faults: [second('b.txt', action)] });
      await runWellWith(world);
      world.write({ 'b.txt': 'BBB' });
      const failed = await run(world, { retries: '0' });
      assert.deepEqual([failed.exitCode, failed.outputs['unchanged-count']], [1, '2']);
      assert.deepEqual(known(world), ['a.txt', 'c.txt']);
      world.write({ 'b.txt': 'bbb' });
      assert.deepEqual(await sentBy(world), ['b.txt']);
      assert.equal(world.stored('b.txt').toString(), 'bbb');
    });
  }

  test('if the process is killed, the next run sends every file', async () => {
    const stall = second('b.txt', { kind: 'stall', at: 'reading' });
    await using world = await openWorld({ files: FILES, faults: [stall] });
    await runWellWith(world);
    world.write({ 'b.txt': 'BBB' });
    const kill = when('b.txt', signal => signal('SIGKILL'));
    assert.equal((await run(world, {}, kill)).exitCode, null);
    assert.equal(hasState(world), false);
    world.write({ 'b.txt': 'bbb' });
    assert.deepEqual(await sentBy(world), ALL);
    assert.equal(world.stored('b.txt').toString(), 'bbb');
  });

  test('if the job is cancelled, it has what arrived and keeps what was not tried', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    const stall = second('b.txt', { kind: 'stall', at: 'answering' });
    await using world = await openWorld({ files: FILES, faults: [stall] });
    await runWellWith(world);
    world.write({ 'a.txt': 'AAA', 'b.txt': 'BBB', 'c.txt': 'CCC' });
    const cancel = when('b.txt', signal => signal('SIGINT'));
    const cancelled = await run(world, { concurrency: '1' }, cancel);
    assert.deepEqual([cancelled.exitCode, cancelled.sent], [1, ['a.txt', 'b.txt']]);
    assert.deepEqual(known(world), ['a.txt', 'c.txt']);
    world.write({ 'b.txt': 'bbb', 'c.txt': 'ccc' });
    assert.deepEqual(await sentBy(world), ['b.txt']);
  });

  test('if the transfer ends early, it has what arrived and keeps what was not tried', async () => {
    const denied = second('b.txt', { kind: 'status', status: 401 });
    await using world = await openWorld({ files: FILES, faults: [denied] });
    await runWellWith(world);
    world.write({ 'a.txt': 'AAA', 'b.txt': 'BBB', 'c.txt': 'CCC' });
    const failed = await run(world, { concurrency: '1' });
    assert.match(failed.report.headline, /^Uploaded 1 of 3 files; 1 failed, 1 not attempted/);
    assert.deepEqual(known(world), ['a.txt', 'c.txt']);
  });

  test('if the sandbox never gets ready, it stays as it was', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    const before = stateText(world);
    world.write({ 'a.txt': 'AAA' });
    const waiting = {
      'wait-until': 'cpu_count > 99',
      'wait-timeout': '10ms',
      'sample-interval': '200ms',
    };
    const late = await run(world, waiting);
    assert.deepEqual([late.exitCode, late.sent, late.outputs['unchanged-count']], [1, [], '2']);
    assert.equal(stateText(world), before);
  });
});

suite('a state file that cannot be used is ignored, with a warning', { concurrency: 2 }, () => {
  const WARNING =
    /^The state file ".*state\.json" is damaged, of another version, or of another sandbox, service, user, shard or headers\. It is ignored, and every file is sent\.$/;
  const replaced = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);
  const states: Readonly<Record<string, (text: string) => string>> = {
    'of another schema': replaced('"schema":2', '"schema":3'),
    'of the first schema': replaced(
      /^.*/,
      '{"schema":1,"sandboxId":"sandbox1","baseUrl":"","username":"","shard":"","files":[',
    ),
    'cut short': text => text.slice(0, -10),
    'with a digest that is none': replaced('"sha256":"', '"sha256":"x'),
    'with a size that is none': replaced('"size":3', '"size":-3'),
    'with one path twice': replaced('/home/user/b.txt', '/home/user/a.txt'),
  };
  for (const [name, change] of telling(states, ['of the first schema', 'cut short'])) {
    test(name, async () => {
      await using world = await openWorld({ files: FILES });
      await runWellWith(world);
      changeState(world, change);
      const result = await runWellWith(world);
      assert.deepEqual(result.sent, ALL);
      const [warning = '', ...others] = result.annotations('warning');
      assert.match(warning, WARNING);
      assert.deepEqual(others, []);
      assert.deepEqual(await sentBy(world), []);
    });
  }

  const HEADERS = 'X-Metadata-Commit: abc\nX-Api-Key: secret-of-one-run';

  test('if anything has changed that decides where an upload goes', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world, { headers: HEADERS });
    const changes: Readonly<Record<string, Inputs>> = {
      sandbox: { 'sandbox-id': 'sandbox2' },
      'base URL': { 'base-url': world.agent.url.replace('127.0.0.1', 'localhost') },
      port: { port: '49984' },
      'upload path': { 'upload-path': '/v2/files' },
      user: { username: 'root' },
      shard: { shard: '1/2' },
      'header prefix': { 'header-prefix': 'Other' },
      'value of a header': { headers: HEADERS.replace('abc', 'def') },
      'name of a header': { headers: HEADERS.replace('Commit', 'Branch') },
      'name of a secret header': { headers: HEADERS.replace('X-Api-Key', 'X-Api-Token') },
    };
    for (const [name, inputs] of telling(changes, ['port', 'upload path', 'value of a header'])) {
      const { outputs, annotations } = await planned(world, { headers: HEADERS, ...inputs });
      assert.equal(outputs['unchanged-count'], '0', name);
      assert.match(annotations('warning').join(), WARNING, name);
    }
  });

  test('but not for the value of a secret header, or the order and case of names', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world, { headers: HEADERS });
    assert.ok(!stateText(world).includes('secret-of-one-run'));
    const headers = 'x-api-key: secret-of-another\nx-metadata-commit: abc';
    for (const inputs of [{ headers }, { headers: HEADERS, token: 'another-token-42' }]) {
      const { outputs, annotations } = await planned(world, inputs);
      assert.equal(outputs['unchanged-count'], '3');
      assert.deepEqual(annotations('warning'), []);
    }
  });

  /** What a dry run would send, without an agent that knows each input. */
  function planned(world: World, inputs: Inputs) {
    return runAction(world, { 'state-file': STATE, 'dry-run': 'true', ...inputs });
  }

  test('if it is of another user, whose uploads it then holds', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    assert.deepEqual(await sentBy(world, { username: 'root' }), ALL);
    assert.deepEqual(await sentBy(world, { username: 'root' }), []);
  });

  test('but a first run has no warning', async () => {
    await using world = await openWorld({ files: FILES });
    assert.deepEqual((await runWellWith(world)).annotations('warning'), []);
  });
});

suite('a state file that cannot be kept', { concurrency: 2 }, () => {
  const places: Readonly<Record<string, readonly [string, RegExp]>> = {
    'is a folder': ['dir', /state-file: ".*dir" is not a regular file\./],
    'lies below a file': [
      'a.txt/state.json',
      /state-file: ".*state\.json" cannot be read \(ENOTDIR\)\./,
    ],
    'is a link': ['link', /state-file: ".*link" cannot be read \(ELOOP\)\./],
    'is empty': ['empty', /".*empty" contains something other than the state of uploads\./],
    'holds something else': [
      'tsconfig.json',
      /".*tsconfig\.json" contains something other than the state/,
    ],
    'has a schema and holds something else': [
      'other.json',
      /".*other\.json" contains something other than/,
    ],
    'lies behind a link that leads out': [
      'away/state.json',
      /is behind a link that leads out of the workspace/,
    ],
    'cannot be replaced': [
      'nowhere/state.json',
      /state-file: ".*state\.json" cannot be replaced \(\w+\)\./,
    ],
  };
  for (const [name, [file, message]] of telling(places, [
    'is a link',
    'holds something else',
    'cannot be replaced',
  ])) {
    const skip =
      ['lies below a file', 'is a link'].includes(name) && onWindows('it opens these otherwise');
    test(`is an error before anything is sent if it ${name}`, { skip }, async () => {
      await using world = await openWorld({ files: FILES });
      mkdirSync(path.join(world.workspace, 'dir'));
      symlinkSync('a.txt', path.join(world.workspace, 'link'));
      symlinkSync(world.outside, path.join(world.workspace, 'away'));
      symlinkSync('missing/folder', path.join(world.workspace, 'nowhere'));
      world.write({
        empty: '',
        'tsconfig.json': '{"name":"x"}',
        'other.json': '{"schema":1,"name":"x"}',
      });
      const result = await run(world, { files: '*.txt', 'state-file': file });
      assert.deepEqual([result.exitCode, result.sent], [1, []]);
      assert.match(result.annotations('error').join('\n'), message);
      assert.match(result.annotations('error').join('\n'), /Nothing was sent/);
      assert.doesNotMatch(result.stdout, /it is a bug/);
    });
  }

  test('is a warning if that is noticed after the upload, and the next run sends every file', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    world.write({ 'b.txt': 'BBB' });
    const folder = path.dirname(path.join(world.workspace, STATE));
    const block = when('b.txt', () => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, 'in the way');
    });
    const result = await runWellWith(world, {}, block);
    assert.deepEqual(result.sent, ['b.txt']);
    assert.match(
      result.annotations('warning').join(),
      /^The state file could not be written, so the next run sends every file: /,
    );
    rmSync(folder);
    assert.deepEqual(await sentBy(world), ALL);
  });
});

suite('a state file that two steps use at once', { concurrency: 2 }, () => {
  test('is removed by a step that finds one where it wants to write, with a warning', async () => {
    await using world = await openWorld({ files: FILES });
    const inputs = { 'state-file': STATE, concurrency: '1' };
    let inner: Promise<Result> | undefined;
    const upload: Talk = {
      say(socket, request) {
        if (inner !== undefined || request.name !== 'b.txt') return GOOD.say(socket, request);
        // The outer request is answered once the inner run has ended.
        inner = runAction(world, { ...inputs, 'base-url': host.url });
        void inner.finally(() => GOOD.say(socket, request));
      },
    };
    await using host: Hostile = await openHostile({ upload });
    const outer = await runAction(world, { ...inputs, 'base-url': host.url });
    assert.deepEqual([outer.exitCode, (await inner)?.exitCode], [0, 0], outer.stdout);
    assert.match(
      outer.annotations('warning').join(),
      /^Another step used the state file ".*state\.json" at the same time\. It was removed, so the next run sends every file\.$/,
    );
    assert.equal(hasState(world), false);
    assert.equal((await runAction(world, inputs)).outputs['uploaded-count'], '3');
  });

  test('fails a step before it sends if another one has changed it meanwhile', async () => {
    let isReady = false;
    const metrics = () => ({ ...METRICS, cpu_count: isReady ? 4 : 1 });
    await using world = await openWorld({ files: FILES, metrics });
    await runWellWith(world);
    world.write({ 'a.txt': 'AAA' });
    let inner: Promise<unknown> | undefined;
    const waiting = { 'wait-until': 'cpu_count > 1', 'sample-interval': '200ms' };
    const outer = await run(world, waiting, {
      onRequest({ method }) {
        if (inner !== undefined || method !== 'GET') return;
        inner = run(world, {}, { task: 'upload' }).finally(() => {
          isReady = true;
        });
      },
    });
    await inner;
    assert.equal(outer.exitCode, 1);
    assert.match(
      outer.annotations('error').join('\n'),
      /state-file: ".*state\.json" was changed by another step that runs at the same time\. Name a file[\s\S]*Nothing was sent\.$/m,
    );
    // The file of the inner run alone.
    assert.deepEqual(outer.sent, ['a.txt']);
    assert.deepEqual(await sentBy(world), []);
  });
});
