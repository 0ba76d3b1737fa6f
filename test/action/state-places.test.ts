import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { telling } from '../telling.ts';
import { manyFiles, openWorld } from './harness.ts';
import { known, run, runWellWith, sentBy } from './state.ts';

const FILES = { 'a.txt': 'aaa', 'b.txt': 'bbb' };

suite('a state file and two spellings of one place', { concurrency: 2 }, () => {
  const spellings = { 'app/x': '/home/user/app/x', '/home/user/app/x': 'app/x' };
  for (const [one, other] of telling(spellings, ['app/x'])) {
    test(`forgets ${one} after an upload to ${other}`, async () => {
      await using world = await openWorld({ files: FILES });
      await runWellWith(world, { files: `a.txt => ${one}` });
      await runWellWith(world, { files: `b.txt => ${other}` });
      assert.equal(world.stored('app/x').toString(), 'bbb');
      assert.deepEqual(await sentBy(world, { files: `a.txt => ${one}` }), [one]);
      assert.equal(world.stored('app/x').toString(), 'aaa');
    });
  }

  test('fails both in one plan, every time, and names both', async () => {
    await using world = await openWorld({ files: FILES });
    const files = 'a.txt => app/x\nb.txt => /home/user/app/x';
    for (let time = 0; time < 2; time += 1) {
      const { exitCode, sent, report } = await run(world, { files });
      assert.deepEqual([exitCode, sent], [1, ['/home/user/app/x', 'app/x']]);
      const names = /^a\.txt and b\.txt were stored at the same place, \/home\/user\/app\/x/;
      for (const { error } of report.files) assert.match(error?.message ?? '', names);
    }
  });

  test('fails both if they are one place, and the state knows what was there', async () => {
    await using world = await openWorld({ files: FILES });
    await runWellWith(world, { files: 'a.txt => app/x' });
    const body = '[{"path":"/home/user/app/x","name":"x","type":"file"}]';
    world.agent.addFaults({ on: 'upload', path: 'x', do: { kind: 'answer', body } });
    const { outputs, report } = await run(world, { files: 'a.txt => app/x\nb.txt => x' });
    assert.deepEqual([outputs['unchanged-count'], outputs['failed-count']], ['0', '2']);
    const names = /^a\.txt and b\.txt were stored at the same place, \/home\/user\/app\/x/;
    for (const { error } of report.files) assert.match(error?.message ?? '', names);
    assert.deepEqual(known(world), []);
  });

  test('sends both every time if they turn out to be two places', async () => {
    await using world = await openWorld({ files: FILES });
    const files = 'a.txt => x\nb.txt => /srv/x';
    for (let time = 0; time < 2; time += 1) {
      assert.deepEqual(await sentBy(world, { files }), ['/srv/x', 'x']);
    }
  });
});

suite('a state file and shards', { concurrency: 2 }, () => {
  test('forgets files that other shards send', async () => {
    await using world = await openWorld({ files: { a: 'a'.repeat(1000), b: 'b' } });
    assert.deepEqual(await sentBy(world, { shard: '1/2' }), ['a']);
    // Now b is larger, so it is assigned first.
    world.write({ b: 'b'.repeat(5000) });
    assert.deepEqual(await sentBy(world, { shard: '1/2' }), ['b']);
    assert.deepEqual(known(world), ['b']);
  });

  test('counts unchanged files of its shard', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    await runWellWith(world, { shard: '1/2' });
    const second = await runWellWith(world, { shard: '1/2' });
    assert.deepEqual([second.sent.length, second.outputs['unchanged-count']], [0, '5']);
    assert.doesNotMatch(second.stdout, /Uploading/);
    assert.equal(second.report.headline, 'Nothing was sent, 5 files unchanged (shard 1 of 2).');
  });

  test('is ignored if the number of shards has changed', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    await runWellWith(world);
    const first = await runWellWith(world, { shard: '1/2' });
    assert.equal(first.sent.length, 5);
    assert.match(
      first.annotations('warning').join(),
      /^The state file .* of another .* shard or headers\. It is ignored/,
    );
    assert.deepEqual((await runWellWith(world, { shard: '1/2' })).sent, []);
    assert.equal((await runWellWith(world, { shard: '1/3' })).outputs['unchanged-count'], '0');
  });

  test('of each shard lets it send only what has changed', async () => {
    await using world = await openWorld({ files: manyFiles(10) });
    const shards = ['1/2', '2/2'].map(shard => ({ shard, 'state-file': `.state/${shard}.json` }));
    for (const inputs of shards) await runWellWith(world, inputs);
    world.write({ 'f3.txt': 'CONTENT 3' });
    const sent = [];
    for (const inputs of shards) sent.push(...(await sentBy(world, inputs)));
    assert.deepEqual(sent, ['f3.txt']);
  });
});
