import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { manyFiles, openFaulty, openWorld, runBadly, uploads } from './harness.ts';

suite('what can no longer succeed', { concurrency: 2 }, () => {
  for (const status of [401, 403]) {
    test(`is not asked for: the stats, after ${status}`, async () => {
      await using world = await openFaulty({ kind: 'status', status }, { skip: 2 }, { files: manyFiles(6) });
      const result = await runBadly(world, { concurrency: '1' });
      assert.equal(uploads(world).length, 3);
      assert.equal(world.agent.requests.length, 3);
      assert.deepEqual([result.outputs['uploaded-count'], result.outputs['cpu-count']], ['2', '']);
    });
  }

  test('is asked for, once there is another reason: a route that is not there is no sandbox that is gone', async () => {
    const body = '{"message":"sandbox agent: route not found"}';
    await using world = await openWorld({
      files: manyFiles(3),
      faults: [{ on: 'upload', path: 'f0.txt', do: { kind: 'status', status: 404, body } }],
    });
    const result = await runBadly(world, { concurrency: '1' });
    assert.deepEqual([result.outputs['uploaded-count'], result.outputs['failed-count']], ['2', '1']);
  });
});
