import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { manyFiles, openWorld, pathOf, runBadly, runWell, uploads } from './harness.ts';

describe('shards', () => {
  test('send every file once in all, although their builds differ in one byte', async () => {
    const files = { 'large.bin': 'x'.repeat(5000), ...manyFiles(30) };
    await using world = await openWorld({ files });
    let sum = 0;
    for (const index of [1, 2, 3]) {
      world.write({ 'large.bin': 'x'.repeat(5000 + index), 'f7.txt': 'y'.repeat(index) });
      const { stdout, outputs, report, summary } = await runWell(world, { shard: `${index}/3` });
      assert.match(stdout, RegExp(`shard ${index} of 3: ${outputs['uploaded-count']} of 31 files`));
      for (const text of [report.headline, summary])
        assert.ok(text.includes(`shard ${index} of 3`), text);
      sum += Number(outputs['uploaded-count']);
    }
    assert.equal(sum, 31);
    assert.deepEqual(uploads(world).map(pathOf).toSorted(), Object.keys(files).toSorted());
  });

  test('are judged over the whole plan: a conflict fails each of them', async () => {
    await using world = await openWorld({ files: { 'x/a.js': '1', 'y/a.js': '2' } });
    for (const shard of ['1/2', '2/2']) {
      const { errors } = await runBadly(world, { files: 'x/**\ny/**', shard });
      assert.match(errors, /"x\/a\.js".*"y\/a\.js"/);
    }
    assert.equal(world.agent.connections(), 0);
  });
});
