import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { below, filesBelow, hostsOf, openStage, SITE, skip } from './stage.ts';

suite('the example', { concurrency: 2, skip }, () => {
  test('matrix.yml syncs the build into each of the sandboxes', async () => {
    await using stage = await openStage();
    const suites = ['api', 'browser', 'load'];
    const ids = suites.map(name => `box-${name}`);
    const sandboxes = await Promise.all(ids.map(sandboxId => stage.sandbox({ sandboxId })));
    const run = await stage.run('matrix.yml', {
      sandboxFor: ({ suite }) => sandboxes.find(({ id }) => id === `box-${String(suite)}`),
    });
    assert.ok(run.succeeded, run.log);
    assert.equal(run.jobs.length, 4);
    for (const sandbox of sandboxes) {
      assert.deepEqual(filesBelow(sandbox.home), below('app', SITE));
      assert.deepEqual(hostsOf(sandbox).tunnelled, ['sandbox.example.com:443']);
      assert.ok(run.log.includes(`tested ${sandbox.id}`));
    }
  });
});
