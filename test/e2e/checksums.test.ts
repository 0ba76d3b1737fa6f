import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { canBeNamed, WITHOUT_BASH } from '../system.ts';
import {
  type Files,
  manyFiles,
  openFaulty,
  openWorld,
  runBadly,
  runWell,
  status,
  type World,
} from './harness.ts';

const HASHED = { checksums: 'true' };

// In UTF-16, 😀 comes before U+FF5E; in bytes, after it.
const NAMES = ['a b', 'ü', '～', '😀', '-n', '*', 'back\\slash', 'line\nbreak', 'cr\rx', '\\n'];

const FILES: Files = {
  'index.html': '<p>',
  empty: '',
  'same.html': '<p>',
  'deep/er/large.bin': randomBytes(600 * 1024),
  ...Object.fromEntries(NAMES.filter(canBeNamed).map(name => [`${name}/x`, 'x'])),
};

/** The digest of what is in the sandbox, computed as the docs say. */
function digestOf({ root }: World): string {
  const script = `set -eo pipefail; find . -type f -printf '%P\\0' | xargs -0 sha256sum -- | LC_ALL=C sort | sha256sum`;
  const cwd = path.join(root, 'home/user');
  return `sha256:${execFileSync('bash', ['-c', script], { cwd, encoding: 'utf8' }).slice(0, 64)}`;
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

describe('checksums', () => {
  test('are what find, sha256sum and sort find in the sandbox', {
    skip: WITHOUT_BASH,
  }, async () => {
    await using world = await openWorld({ files: FILES });
    const { outputs, report, stdout, summary, file } = await runWell(world, HASHED);
    const digest = digestOf(world);
    assert.deepEqual([outputs['digest'], report.digest], [digest, digest]);
    for (const text of [stdout, summary]) assert.ok(text.includes(digest));
    assert.equal(file('index.html').sha256, sha256('<p>'));

    // The agent returns absolute paths; here, the sandbox's root is a folder.
    const list = readFileSync(outputs['checksums'] ?? '', 'utf8').replaceAll('  /', '  ./');
    const options = { cwd: world.root, input: list, stdio: 'pipe' } as const;
    const check = () => execFileSync('sha256sum', ['-c', '--strict', '--quiet'], options);
    check();
    assert.equal(list.split('\n').length - 1, Object.keys(FILES).length);
    writeFileSync(path.join(world.root, 'home/user/index.html'), 'other');
    assert.throws(check, /1 computed checksum did NOT match/);
  });

  test('have one digest however the build gets there: of what lies in the sandbox', {
    skip: WITHOUT_BASH,
  }, async () => {
    await using world = await openWorld({ files: { ...manyFiles(30), ...FILES } });
    const inputs = { 'state-file': '.state.json' };
    const batched = { ...inputs, 'files-per-request': '250' };
    assert.equal((await runWell(world, batched)).outputs['digest'], digestOf(world));
    world.write({ 'f3.txt': 'other' });
    const { outputs } = await runWell(world, inputs);
    assert.deepEqual([outputs['uploaded-count'], outputs['digest']], ['1', digestOf(world)]);
  });

  test('of a shard are those of its files', { skip: WITHOUT_BASH }, async () => {
    await using world = await openWorld({ files: manyFiles(9) });
    const { outputs, stdout } = await runWell(world, { ...HASHED, shard: '1/2' });
    assert.equal(outputs['digest'], digestOf(world));
    assert.match(stdout, /^Digest: sha256:/m);
  });

  test('list what arrived, but have no digest if a file is missing', async () => {
    const files = { a: 'x', b: 'y' };
    await using world = await openFaulty(status(400), { path: 'b' }, { files });
    const { outputs, report, stdout } = await runBadly(world, HASHED);
    assert.deepEqual([outputs['digest'], report.digest], ['', '']);
    assert.doesNotMatch(stdout, /^Digest/m);
    const list = readFileSync(outputs['checksums'] ?? '', 'utf8');
    assert.equal(list, `${sha256('x')}  /home/user/a\n`);
  });
});
