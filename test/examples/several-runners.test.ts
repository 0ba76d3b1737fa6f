import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { below, type Files, filesBelow, hostsOf, openStage, SITE, skip } from './stage.ts';

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

  test('shards.yml sends every file, each by one of the runners', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `page ${index}.html`);
    const site: Files = Object.fromEntries(names.map(name => [name, `<p>${name}`]));
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('shards.yml', { sandboxFor: () => sandbox, repository: { site } });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual(filesBelow(sandbox.home), below('app', site));
    const uploads = sandbox.agent.requests.filter(({ method }) => method === 'POST');
    assert.equal(uploads.length, names.length);
    const [build, ...shares] = run.jobs.map(({ steps }) => steps.at(-1)?.end?.outputs['uploaded-count']);
    assert.equal(build, undefined);
    assert.deepEqual(
      shares.map(Number).sort((a, b) => a - b),
      [7, 7, 8, 8],
    );
  });
});
