import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Files,
  manyFiles,
  openWorld,
  pathOf,
  runAction,
  runBadly,
  runWell,
  uploads,
} from './harness.ts';

const FILES: Files = { 'large.bin': 'x'.repeat(5000), ...manyFiles(10) };

function paths(requests: ReturnType<typeof uploads>): string[] {
  return requests.map(pathOf).toSorted();
}

suite('a shard', { concurrency: 2 }, () => {
  test('sends its share, and all of them together send the plan', async () => {
    await using world = await openWorld({ files: FILES });
    for (const [shard, line] of [
      ['1/3', 'shard 1 of 3: 1 of 11 files'],
      ['2/3', 'shard 2 of 3: 5 of 11 files'],
      ['3/3', 'shard 3 of 3: 5 of 11 files'],
    ] as const) {
      const before = uploads(world).length;
      const result = await runWell(world, { shard });
      const [, count = ''] = /: (\d+) of/.exec(line) ?? [];
      assert.match(
        result.stdout,
        new RegExp(`^Uploading ${count} files? \\(.*\\) to sandbox .*, ${line}$`, 'm'),
      );
      assert.equal(uploads(world).length - before, Number(count));
      assert.equal(result.outputs['uploaded-count'], count);
      assert.match(
        result.report.headline,
        new RegExp(`\\(shard ${shard.replace('/', ' of ')}\\)\\.$`),
      );
      assert.ok(result.summary.includes(`(shard ${shard.replace('/', ' of ')}).`));
    }
    assert.deepEqual(paths(uploads(world)), Object.keys(FILES).toSorted());
  });

  test('without a file is a success that says so', async () => {
    await using world = await openWorld();
    const { stdout, outputs, report } = await runWell(world, { shard: '2/2' });
    assert.doesNotMatch(stdout, /Uploading/);
    assert.equal(report.headline, 'None of 1 file belongs to this shard (shard 2 of 2).');
    assert.deepEqual([outputs['uploaded-count'], outputs['uploaded']], ['0', '[]']);
    assert.equal(uploads(world).length, 0);
  });

  test('of a dry run plans its share alone', async () => {
    await using world = await openWorld({ files: FILES });
    const { stdout, outputs } = await runWell(world, { shard: '1/3', 'dry-run': 'true' });
    assert.match(stdout, /^Planning the upload of 1 file .*, shard 1 of 3: 1 of 11 files$/m);
    assert.equal(outputs['skipped-count'], '1');
    assert.equal(world.agent.connections(), 0);
  });

  test('is judged over the whole plan: conflicts and patterns without a file fail every one', async () => {
    await using world = await openWorld({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
    for (const shard of ['1/2', '2/2']) {
      const conflict = await runBadly(world, { files: 'x/**\ny/**', shard });
      assert.match(conflict.annotations('error').join(), /"x\/a\.js".*"y\/a\.js"/);
      const missing = await runBadly(world, { files: 'x/**\nz/**', shard });
      assert.match(missing.annotations('error').join(), /"z\/\*\*" matches no file/);
    }
    assert.equal(world.agent.connections(), 0);
  });

  test('works in the upload alone, and a wrong one is refused before anything is sent', async () => {
    await using world = await openWorld({ files: FILES });
    await runWell(world, { shard: '1/3' }, { task: 'upload' });
    assert.equal(uploads(world).length, 1);
    const { exitCode, stdout } = await runAction(world, { shard: '0/3' });
    assert.equal(exitCode, 1);
    assert.match(
      stdout,
      /shard: "0\/3" is not INDEX\/COUNT with 1 ≤ INDEX ≤ COUNT ≤ 256\. The first is 1, but strategy\.job-index begins with 0\. Example: shard: 2\/4/,
    );
    assert.equal(uploads(world).length, 1);
  });
});
