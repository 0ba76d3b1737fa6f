import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { below, filesBelow, openStage, type Sandbox, SITE, skip } from './stage.ts';

const CHANGED = { ...SITE, 'index.html': '<!doctype html><p>\n', 'new.txt': 'new' };

suite('the example only-changed.yml', { concurrency: 2, skip }, () => {
  test('sends everything, then nothing, then what changed, each time by the newest state', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = async (runId: string, site = SITE) => {
      const before = uploads(sandbox);
      const { log, succeeded } = await stage.run('only-changed.yml', {
        sandboxFor: () => sandbox,
        repository: { site },
        runId,
      });
      assert.ok(succeeded, log);
      return `${uploads(sandbox) - before} requests: ${log.split('\n').at(-1)}`;
    };
    assert.equal(await run('1'), '5 requests: 5 files sent, 0 were there already');
    assert.equal(await run('2'), '0 requests: 0 files sent, 5 were there already');
    assert.equal(await run('3', CHANGED), '2 requests: 2 files sent, 4 were there already');
    assert.equal(await run('4', CHANGED), '0 requests: 0 files sent, 6 were there already');
    assert.deepEqual(filesBelow(sandbox.home), below('app', CHANGED));
  });

  test('keeps what a failed run sent, and sends the rest the next time', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({
      faults: [{ on: 'upload', path: 'app/index.html', times: 1, do: { kind: 'status', status: 400 } }],
    });
    const sandboxFor = () => sandbox;
    const failed = await stage.run('only-changed.yml', { sandboxFor, runId: '1' });
    assert.ok(!failed.succeeded, failed.log);
    const before = uploads(sandbox);
    const run = await stage.run('only-changed.yml', { sandboxFor, runId: '2' });
    assert.match(run.log, /\n1 files sent, 4 were there already$/);
    assert.equal(uploads(sandbox) - before, 1);
    assert.deepEqual(filesBelow(sandbox.home), below('app', SITE));
  });
});

function uploads({ agent }: Sandbox): number {
  return agent.requests.filter(({ method }) => method === 'POST').length;
}
