import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { onWindows } from '../system.ts';
import { type Inputs, openWorld, runBadly, runWell, type World } from './harness.ts';
import { TOKEN } from './world.ts';

function link(world: World, place: string, end: string): void {
  symlinkSync(end, path.join(world.workspace, place));
}

suite('a search', { concurrency: 2, skip: onWindows('its names and links are others') }, () => {
  for (const files of ['dist/**', 'dist/**/*.txt']) {
    test(`of ${JSON.stringify(files)} that a link through a file keeps from its end is no success`, async () => {
      await using world = await openWorld({
        files: { 'dist/a.txt': 'a', 'dist/z.txt': 'z', 'dist/sub/b.txt': 'b' },
      });
      link(world, 'dist/link', 'a.txt/x');
      const { stdout } = await runBadly(world, { files });
      assert.match(
        stdout,
        /cannot be searched: ENOTDIR.*dist\/link'\. The link leads nowhere: remove it/,
      );
      assert.deepEqual(world.agent.requests, []);
    });
  }

  for (const end of ['a.txt/x', 'link']) {
    test(`ignores a link to ${end} that is excluded`, async () => {
      await using world = await openWorld({ files: { 'dist/a.txt': 'a' } });
      link(world, 'dist/link', end);
      const { outputs } = await runWell(world, { files: 'dist\n!**/link' });
      assert.equal(outputs['uploaded-count'], '1');
    });
  }

  test('names a hidden folder once, and nothing in it', async () => {
    const objects = Array.from({ length: 50 }, (_, index) => [`.git/objects/${index}`, 'o']);
    await using world = await openWorld({
      files: { a: 'a', '.git/config': 'c', 'b/.env': 'e', ...Object.fromEntries(objects) },
    });
    const { report, outputs } = await runWell(world, { files: '**' });
    assert.deepEqual(
      report.hidden.map(({ path: name }) => name),
      ['.git', 'b/.env'],
    );
    assert.equal(outputs['hidden-count'], '2');
  });

  test('writes no raw control characters of a name into the log', async () => {
    const folder = '\u001b[2J\u202e';
    await using world = await openWorld({ files: { [`real/${folder}/x`]: 'x', 'w/a': 'a' } });
    link(world, 'w/l', `../real/${folder}`);
    const { stdout } = await runWell(world, { files: `w/**\nreal/${folder}/** => b` });
    assert.ok(!stdout.includes('\u001b') && !stdout.includes('\u202e'), stdout);
    assert.equal(world.stored('l/x').toString(), 'x');
    assert.equal(world.stored('b/x').toString(), 'x');
  });

  test('is refused for a pattern with so many stars in a name that matching takes seconds', async () => {
    await using world = await openWorld({ files: { [`d/${'-'.repeat(240)}`]: 'x', 'a.txt': 'a' } });
    for (const files of ['d/*-*-*-*-*.js', 'a.txt\n!d/*-*-*-*-*.js']) {
      const start = performance.now();
      const { stdout } = await runBadly(world, { files });
      assert.match(stdout, /has more than three \* in one name\. Write "d\/\*\.js"\./);
      assert.ok(performance.now() - start < 10_000);
    }
    assert.deepEqual(world.agent.requests, []);
  });

  test('of a file whose name contains the token is refused, and does not show it', async () => {
    await using world = await openWorld({ files: { 'd/a': 'a' } });
    for (const name of [`d/x-${TOKEN}.txt`, `d/.${TOKEN}`]) {
      world.write({ [name]: 'x' });
      const { stdout, outputs, summary } = await runBadly(world, { files: 'd/**' });
      const shown = stdout.replace(/^::add-mask::.*$/gm, '') + summary + JSON.stringify(outputs);
      assert.ok(!shown.includes(TOKEN), shown);
      assert.match(
        stdout,
        /\*\*\*.* has a name that contains the token or another secret\. Rename/,
      );
      rmSync(path.join(world.workspace, name));
    }
    assert.deepEqual(world.agent.requests, []);
  });

  const SECRETS: Readonly<Record<string, readonly [inputs: Inputs, env: Record<string, string>]>> =
    {
      'its signature': [{ signature: 'the-secret-42' }, {}],
      'a secret header': [{ headers: 'X-Api-Key: the-secret-42' }, {}],
      "a proxy's password": [{}, { HTTPS_PROXY: 'http://me:the-secret-42@127.0.0.1:9' }],
    };
  for (const [whose, [inputs, env]] of Object.entries(SECRETS)) {
    test(`of a file whose name contains ${whose} is refused, and does not show it`, async () => {
      await using world = await openWorld({ files: { 'the-secret-42.txt': 'x' } });
      const { everything } = await runBadly(world, inputs, { env });
      assert.doesNotMatch(everything.replace(/^::add-mask::.*$/gm, ''), /the-secret-42/);
      assert.match(
        everything,
        /"\*\*\*\.txt" has a name that contains the token or another secret/,
      );
      assert.deepEqual(world.agent.requests, []);
    });
  }

  test('enters a link whose name ends in a space', async () => {
    await using world = await openWorld({ files: { 'x/real/a.txt': 'a', 'y/b /a.txt': 'b' } });
    link(world, 'x/b ', 'real');
    const { outputs } = await runWell(world, { files: '*/b /a.txt' });
    assert.equal(outputs['uploaded-count'], '2');
  });

  test('skips a root that is a link, whole, where links are not followed', async () => {
    await using world = await openWorld({
      files: { 'real/index.html': 'i', 'real/sub/a': 'a', 'b.txt': 'b' },
    });
    link(world, 'build', 'real');
    const { report } = await runWell(world, {
      files: 'build/**\nb.txt',
      'follow-symlinks': 'false',
      'if-no-files-found': 'ignore',
    });
    assert.deepEqual(
      report.files.map(({ source }) => source),
      ['b.txt'],
    );
    assert.deepEqual(report.skipped, [{ path: 'build', reason: 'a symbolic link' }]);
  });

  test('of a workspace that ends in a blank is refused: it would look elsewhere', async () => {
    await using world = await openWorld({ files: { 'dir/secret': 's' } });
    const workspace = path.join(world.workspace, 'dir ');
    mkdirSync(workspace);
    const { stdout } = await runBadly(
      world,
      { files: '.' },
      { env: { GITHUB_WORKSPACE: workspace } },
    );
    assert.match(
      stdout,
      /working-directory: .* has a line break, or a space at the start or end of its path/,
    );
  });
});
