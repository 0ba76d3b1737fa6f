import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { Fault } from '../../local-agent/faults.ts';
import { onWindows, WITHOUT_SIGNALS } from '../system.ts';
import { telling } from '../telling.ts';
import { openWorld, SANDBOX_ID, when } from './harness.ts';
import { changeState, hasState, known, run, runWellWith, STATE, sentBy, stateText } from './state.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb', 'c.txt': 'ccc' };
const ALL = Object.keys(FILES);

/** What happens to the second upload of a file. */
function second(name: string, action: Fault['do']): Fault {
  return { on: 'upload', path: name, skip: 1, times: 1, do: action };
}

suite('an upload that is not acknowledged is not in the state', { concurrency: 2 }, () => {
  const failures: Readonly<Record<string, Fault['do']>> = {
    'is refused': { kind: 'status', status: 400 },
    'is acknowledged by another name': { kind: 'answer', body: '[{"path":"/x","name":"x","type":"file"}]' },
    'ends in mid-answer': { kind: 'truncate' },
  };
  for (const [name, action] of telling(failures, ['is acknowledged by another name'])) {
    test(`where it ${name}: the old content is sent again`, async () => {
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

  test('where the process is killed while it is sent', async () => {
    const stall = second('b.txt', { kind: 'stall', at: 'reading' });
    await using world = await openWorld({ files: FILES, faults: [stall] });
    await runWellWith(world);
    world.write({ 'b.txt': 'BBB' });
    const kill = when('b.txt', signal => signal('SIGKILL'));
    assert.equal((await run(world, {}, kill)).exitCode, null);
    world.write({ 'b.txt': 'bbb' });
    assert.deepEqual(await sentBy(world), ['b.txt']);
  });

  test('where the job is cancelled; what arrived is in it, what was not tried is as it was', {
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

  test('where nothing else can succeed either', async () => {
    const denied = second('b.txt', { kind: 'status', status: 401 });
    await using world = await openWorld({ files: FILES, faults: [denied] });
    await runWellWith(world);
    world.write({ 'a.txt': 'AAA', 'b.txt': 'BBB', 'c.txt': 'CCC' });
    const failed = await run(world, { concurrency: '1' });
    assert.match(failed.report.headline, /^1 of 3 files arrived, 1 failed, 1 not attempted/);
    assert.deepEqual(known(world), ['a.txt', 'c.txt']);
  });

  test('where a sandbox that is not ready keeps the run from sending, it stays as it was', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    const before = stateText(world);
    world.write({ 'a.txt': 'AAA' });
    const waiting = { 'wait-until': 'cpu_count > 99', 'wait-timeout': '10ms', 'sample-interval': '200ms' };
    const late = await run(world, waiting);
    assert.deepEqual([late.exitCode, late.sent, late.outputs['unchanged-count']], [1, [], '2']);
    assert.equal(stateText(world), before);
  });
});

suite('a state that does not hold is ignored with a warning', { concurrency: 2 }, () => {
  const replaced = (from: string, to: string) => (text: string) => text.replace(from, to);
  const states: Readonly<Record<string, readonly [(text: string) => string, RegExp]>> = {
    'of another sandbox': [
      replaced(SANDBOX_ID, 'sandbox2'),
      /belongs to another sandbox, "sandbox2" instead of "sandbox1"/,
    ],
    'of another base URL': [replaced('http://', 'https://'), /belongs to another base URL, "https:/],
    'of another user': [replaced('"username":""', '"username":"root"'), /belongs to another user, "root" instead of/],
    'of another schema': [replaced('"schema":1', '"schema":2'), /has schema 2, but this version of the action uses 1/],
    'cut short': [text => text.slice(0, -10), /is damaged/],
    'with a digest that is none': [replaced('"sha256":"', '"sha256":"x'), /is damaged/],
  };
  for (const [name, [change, warning]] of telling(states, ['of another sandbox', 'cut short'])) {
    test(name, async () => {
      await using world = await openWorld({ files: FILES });
      await runWellWith(world);
      changeState(world, change);
      const result = await runWellWith(world);
      assert.deepEqual(result.sent, ALL);
      const warnings = result.annotations('warning');
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', /^The state file ".*state\.json" .*\. It is ignored, and every file/);
      assert.match(warnings[0] ?? '', warning);
      assert.deepEqual(await sentBy(world), []);
    });
  }

  test('of the default user, to another one', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    assert.deepEqual(await sentBy(world, { username: 'root' }), ALL);
    assert.deepEqual(await sentBy(world, { username: 'root' }), []);
  });

  test('a first run is none of these', async () => {
    await using world = await openWorld({ files: FILES });
    assert.deepEqual((await runWellWith(world)).annotations('warning'), []);
  });
});

suite('a state file that cannot be kept', { concurrency: 2 }, () => {
  const places: Readonly<Record<string, readonly [string, RegExp]>> = {
    'is a folder': ['dir', /state-file: ".*dir" is not a regular file\./],
    'lies below a file': ['a.txt/state.json', /state-file: ".*state\.json" cannot be read \(ENOTDIR\)\./],
    'is a link': ['link', /state-file: ".*link" cannot be read \(ELOOP\)\./],
    'is empty': ['empty', /".*empty" contains something other than the state of uploads\./],
    'holds something else': ['tsconfig.json', /".*tsconfig\.json" contains something other than the state/],
    'has a schema and holds something else': ['other.json', /".*other\.json" contains something other than/],
    'lies behind a link that leads out': ['away/state.json', /is behind a link that leads out of the workspace/],
    'cannot be written': ['blocked/state.json', /state-file: ".*state\.json" cannot be written \(\w+\)\./],
  };
  for (const [name, [file, message]] of telling(places, ['is a link', 'holds something else', 'cannot be written'])) {
    const skip = ['lies below a file', 'is a link'].includes(name) && onWindows('it opens these otherwise');
    test(`since it ${name}, is an error before anything is sent`, { skip }, async () => {
      await using world = await openWorld({ files: FILES });
      mkdirSync(path.join(world.workspace, 'dir'));
      // A folder stands where the new state would be written first.
      mkdirSync(path.join(world.workspace, 'blocked/state.json.new/full'), { recursive: true });
      symlinkSync('a.txt', path.join(world.workspace, 'link'));
      symlinkSync(world.outside, path.join(world.workspace, 'away'));
      world.write({ empty: '', 'tsconfig.json': '{"name":"x"}', 'other.json': '{"schema":1,"name":"x"}' });
      const result = await run(world, { files: '*.txt', 'state-file': file });
      assert.deepEqual([result.exitCode, result.sent], [1, []]);
      assert.match(result.annotations('error').join('\n'), message);
      assert.match(result.annotations('error').join('\n'), /Nothing was sent/);
      assert.doesNotMatch(result.stdout, /it is a bug/);
    });
  }

  test('when the upload has ended, is a warning, and the next run sends more', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world);
    world.write({ 'b.txt': 'BBB' });
    const blocked = path.join(world.workspace, `${STATE}.new`);
    const block = when('b.txt', () => mkdirSync(blocked));
    const result = await runWellWith(world, {}, block);
    assert.deepEqual(result.sent, ['b.txt']);
    assert.match(result.annotations('warning').join(), /^The state file could not be written, so the next run sends/);
    rmSync(blocked, { recursive: true });
    assert.deepEqual(await sentBy(world), ['b.txt']);
  });

  test('what a killed process left beside it is removed, and not uploaded', async () => {
    await using world = await openWorld({ files: FILES });
    mkdirSync(path.join(world.workspace, '.sandbox-sync'));
    writeFileSync(path.join(world.workspace, `${STATE}.new`), 'half');
    const { sent } = await runWellWith(world, { 'include-hidden-files': 'true' });
    assert.deepEqual(sent, ALL);
    assert.equal(hasState(world, `${STATE}.new`), false);
  });
});
