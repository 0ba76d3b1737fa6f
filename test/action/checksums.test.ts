import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, suite, test } from 'node:test';
import { canBeNamed, WITHOUT_BASH } from '../system.ts';
import {
  type Files,
  type Inputs,
  manyFiles,
  openFaulty,
  openWorld,
  runAction,
  runWell,
  type World,
} from './harness.ts';

const HASHED = { checksums: 'true' };

const FILES: Files = {
  'index.html': '<p>',
  empty: '',
  'same.html': '<p>',
  'deep/er/large.bin': Buffer.alloc(600 * 1024, 'x'),
};

// In UTF-16, 😀 comes before U+FF5E; in bytes, after it.
const NAMES = ['a b', 'ü', '～', '😀', '-n', '*', 'back\\slash', 'line\nbreak', 'cr\rx', '\\n'];
const UNUSUAL = Object.fromEntries(NAMES.filter(canBeNamed).map(name => [`${name}/x`, 'x']));

function homeOf({ root }: World): string {
  return path.join(root, 'home/user');
}

/** Runs a command with the tools and the sort order that the docs name. */
function bash(script: string, cwd: string): string {
  return execFileSync('bash', ['-c', `set -eo pipefail; ${script}`], { cwd, encoding: 'utf8' });
}

/** The digest of all files below a folder, computed as the docs say. */
function recompute(cwd: string): string {
  const script = `find . -type f -printf '%P\\0' | xargs -0 sha256sum -- | LC_ALL=C sort | sha256sum`;
  return `sha256:${bash(script, cwd).slice(0, 64)}`;
}

suite('the output digest', { concurrency: 2 }, () => {
  for (const [what, files] of Object.entries({ 'common names': FILES, 'unusual names': UNUSUAL })) {
    test(`is what sha256sum and sort compute in the sandbox, with ${what}`, {
      skip: WITHOUT_BASH,
    }, async () => {
      await using world = await openWorld({ files });
      const { outputs, report, lines, summary } = await runWell(world, HASHED);
      assert.equal(outputs['digest'], recompute(homeOf(world)));
      assert.equal(report.digest, outputs['digest']);
      assert.ok(lines.includes(`Digest: ${outputs['digest']}`));
      assert.ok(summary.includes(outputs['digest'] ?? '?'));
    });
  }

  test('is the same however the build gets there', async () => {
    const files = { ...manyFiles(30), ...FILES };
    await using world = await openWorld({ files, headerPrefix: 'E2b' });
    const digest = async (inputs: Inputs) => {
      const result = await runWell(world, { 'header-prefix': 'E2b', ...inputs });
      return result.outputs['digest'];
    };
    const stateFile = { 'state-file': '.state.json' };
    const rehearsed = await digest({ ...HASHED, 'dry-run': 'true' });
    assert.match(rehearsed ?? '', /^sha256:[0-9a-f]{64}$/);
    assert.equal(world.agent.requests.length, 0);
    const others = [
      await digest({ ...HASHED, 'files-per-request': '250' }),
      await digest({ ...HASHED, 'files-per-request': '1', concurrency: '1' }),
      await digest({ ...HASHED, files: Object.keys(files).reverse().map(lineOf).join('\n') }),
      await digest(stateFile),
      // The second run: everything is unchanged.
      await digest(stateFile),
    ];
    world.write({ 'f3.txt': 'other' });
    const changed = await digest(stateFile);
    assert.notEqual(changed, rehearsed);
    world.write({ 'f3.txt': 'content 3' });
    // The last run: one file is sent, the others are unchanged.
    assert.deepEqual([...others, await digest(stateFile)], Array(6).fill(rehearsed));
  });

  test('is another for another byte, name or target', async () => {
    await using world = await openWorld({ files: { a: 'text' } });
    const digests = [await runWell(world, HASHED)];
    digests.push(await runWell(world, { ...HASHED, target: 'app' }));
    digests.push(await runWell(world, { ...HASHED, files: 'a => b' }));
    world.write({ a: 'texts' });
    digests.push(await runWell(world, HASHED));
    assert.equal(new Set(digests.map(({ outputs }) => outputs['digest'])).size, 4);
  });

  test('of a shard is that of its files, and says so', { skip: WITHOUT_BASH }, async () => {
    const digests: (string | undefined)[] = [];
    for (const shard of ['1/2', '2/2']) {
      await using world = await openWorld({ files: manyFiles(4) });
      const { outputs, lines, summary } = await runWell(world, { ...HASHED, shard });
      assert.equal(outputs['digest'], recompute(homeOf(world)));
      const name = `Digest of shard ${shard.replace('/', ' of ')}`;
      assert.ok(lines.includes(`${name}: ${outputs['digest']}`));
      assert.ok(summary.includes(name));
      digests.push(outputs['digest']);
    }
    assert.equal(new Set(digests).size, 2);
  });

  test('is empty if a file of the build is missing', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 400 },
      { path: 'b' },
      { files: { a: 'x', b: 'y' } },
    );
    const { outputs, report, stdout } = await runAction(world, HASHED);
    assert.deepEqual([outputs['failed-count'], outputs['digest'], report.digest], ['1', '', '']);
    assert.doesNotMatch(stdout, /^Digest/m);
    assert.equal(
      readFileSync(outputs['checksums'] ?? '', 'utf8'),
      `${sha256('x')}  /home/user/a\n`,
    );
  });

  test('is empty if nothing was hashed, or nothing is there', async () => {
    await using world = await openWorld();
    const plain = await runWell(world);
    const rehearsed = await runWell(world, { 'dry-run': 'true' });
    const none = await runWell(world, { ...HASHED, files: 'x', 'if-no-files-found': 'ignore' });
    for (const { outputs } of [plain, rehearsed, none])
      assert.deepEqual([outputs['digest'], outputs['checksums']], ['', '']);
  });
});

describe('the output checksums', () => {
  for (const [what, files] of Object.entries({ 'common names': FILES, 'unusual names': UNUSUAL })) {
    test(`is read by sha256sum -c, with ${what}`, { skip: WITHOUT_BASH }, async () => {
      await using world = await openWorld({ files });
      const { outputs, file } = await runWell(world, HASHED);
      // The agent returns absolute paths; here, the sandbox's root is a folder.
      const checksums = readFileSync(outputs['checksums'] ?? '', 'utf8');
      const here = checksums.replaceAll('  /', '  ./');
      const check = () =>
        execFileSync('sha256sum', ['-c', '--strict', '--quiet'], {
          cwd: world.root,
          input: here,
          stdio: 'pipe',
        });
      check();
      assert.equal(checksums.split('\n').length - 1, Object.keys(files).length);
      const [name = '', content = ''] = Object.entries(files)[0] ?? [];
      assert.equal(file(name).sha256, sha256(content));
      writeFileSync(path.join(homeOf(world), name), 'other');
      assert.throws(check, /1 computed checksum did NOT match/);
    });
  }

  test('has the files that were unchanged, and lies below RUNNER_TEMP', async () => {
    await using world = await openWorld({ files: { a: 'x', b: 'y' } });
    const inputs = { 'state-file': '.state.json', target: '/srv' };
    await runWell(world, inputs);
    world.write({ a: 'z' });
    const { outputs, file } = await runWell(world, inputs);
    assert.equal(outputs['unchanged-count'], '1');
    const checksums = outputs['checksums'] ?? '';
    assert.ok(checksums.startsWith(world.temp) && existsSync(checksums));
    const lines = [`${sha256('z')}  /srv/a\n`, `${sha256('y')}  /srv/b\n`];
    assert.equal(readFileSync(checksums, 'utf8'), lines.join(''));
    assert.equal(file('b').sha256, sha256('y'));
  });
});

/** A line of `files` that matches exactly this file. */
function lineOf(name: string): string {
  return `${name} => ${name}`;
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
