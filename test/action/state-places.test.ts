import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { telling } from '../telling.ts';
import { manyFiles, openWorld } from './harness.ts';
import { known, run, runWellWith, sentBy } from './state.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb' };

suite('two spellings of one place', { concurrency: 2 }, () => {
  const spellings = { 'app/x': '/home/user/app/x', '/home/user/app/x': 'app/x' };
  for (const [one, other] of telling(spellings, ['app/x'])) {
    test(`what lay at ${one} is not known after an upload to ${other}`, async () => {
      await using world = await openWorld({ files: FILES });
      await runWellWith(world, { files: `a.txt => ${one}` });
      await runWellWith(world, { files: `b.txt => ${other}` });
      assert.equal(world.stored('app/x').toString(), 'bbb');
      assert.deepEqual(await sentBy(world, { files: `a.txt => ${one}` }), [one]);
      assert.equal(world.stored('app/x').toString(), 'aaa');
    });
  }

  test('in one plan are a failure that names both, every time', async () => {
    await using world = await openWorld({ files: FILES });
    const files = 'a.txt => app/x\nb.txt => /home/user/app/x';
    for (let time = 0; time < 2; time += 1) {
      const { exitCode, sent, report } = await run(world, { files });
      assert.deepEqual([exitCode, sent], [1, ['/home/user/app/x', 'app/x']]);
      const names = /^a\.txt and b\.txt were stored at the same place, \/home\/user\/app\/x/;
      for (const { error } of report.files) assert.match(error?.message ?? '', names);
    }
  });

  test('that turn out to be two places are both sent all the same', async () => {
    await using world = await openWorld({ files: FILES });
    const files = 'a.txt => x\nb.txt => /srv/x';
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await sentBy(world, { files }), ['/srv/x', 'x']);
    }
  });
});

suite('a state and shards', { concurrency: 2 }, () => {
  test('the files of other shards are taken out, since other runners send them', async () => {
    await using world = await openWorld({ files: { a: 'a'.repeat(1000), b: 'b' } });
    assert.deepEqual(await sentBy(world, { shard: '1/2' }), ['a']);
    // Now b is the larger one, and the first to be dealt out.
    world.write({ b: 'b'.repeat(5000) });
    assert.deepEqual(await sentBy(world, { shard: '1/2' }), ['b']);
    assert.deepEqual(known(world), ['b']);
  });

  test('says what is unchanged of the share', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    await runWellWith(world, { shard: '1/2' });
    const second = await runWellWith(world, { shard: '1/2' });
    assert.deepEqual([second.sent.length, second.outputs['unchanged-count']], [0, '5']);
    assert.doesNotMatch(second.stdout, /Uploading/);
    assert.equal(second.report.headline, 'Nothing was sent, 5 files unchanged (shard 1 of 2).');
  });

  test('is ignored where there are shards now and were none, or another number', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    await runWellWith(world);
    const first = await runWellWith(world, { shard: '1/2' });
    assert.equal(first.sent.length, 5);
    assert.match(first.annotations('warning').join(), /belongs to another shard, "" instead of "1\/2"\. It is ignored/);
  });

  test('each shard with a state of its own sends what has changed', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    const shards = ['1/2', '2/2'].map(shard => ({ shard, 'state-file': `.state/${shard}.json` }));
    for (const inputs of shards) await runWellWith(world, inputs);
    world.write({ 'f3.txt': 'CONTENT 3' });
    const sent = [];
    for (const inputs of shards) sent.push(...(await sentBy(world, inputs)));
    assert.deepEqual(sent, ['f3.txt']);
  });
});
