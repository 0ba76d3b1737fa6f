import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { type Files, SITE } from './repository.ts';
import { metricsWith, uploadsTo } from './sandbox.ts';
import { assertArrived, assertReached, assertSucceeded, openStage, skip } from './stage.ts';

suite('the example', { concurrency: 2, skip }, () => {
  test('wait.yml sends nothing before the sandbox has started and is calm', async () => {
    await using stage = await openStage();
    const loads = [95, 5];
    const sandbox = await stage.sandbox({
      metrics: () => metricsWith({ cpu_used_pct: loads.shift() ?? 5 }),
      faults: [{ on: 'stats', times: 1, do: { kind: 'status', status: 502 } }],
    });
    assertSucceeded(await stage.run('wait.yml', { sandboxFor: () => sandbox }));
    assert.deepEqual(
      sandbox.agent.requests.slice(0, 4).map(({ method, status }) => `${method} ${status}`),
      ['GET 502', 'GET 200', 'GET 200', 'POST 200'],
    );
    assertArrived(sandbox, SITE);
  });

  test('self-hosted.yml reaches the service by the proxy and the CA of its variables alone', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({ headerPrefix: 'Svc' });
    const vars = { HTTPS_PROXY: `http://${sandbox.proxy.address}`, CA_FILE: stage.caFile };
    assertSucceeded(await stage.run('self-hosted.yml', { sandboxFor: () => undefined, vars }));
    assertReached(sandbox, 'sandbox.example.com');
    assertArrived(sandbox, SITE);
  });

  test('host-routing.yml asks for the host of the port and the sandbox', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({ headerPrefix: 'Svc' });
    assertSucceeded(await stage.run('host-routing.yml', { sandboxFor: () => sandbox }));
    assertReached(sandbox, '49983-box.example.com');
    assertArrived(sandbox, SITE);
  });

  test('archive.yml brings modes along', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    assertSucceeded(await stage.run('archive.yml', { sandboxFor: () => sandbox }));
    assertArrived(sandbox, SITE, ['dist.tar.gz']);
    const modeOf = (name: string) => statSync(path.join(sandbox.home, 'app', name)).mode & 0o777;
    assert.deepEqual([modeOf('bin/serve'), modeOf('index.html')], [0o755, 0o644]);
  });

  test('many-small-files.yml lets many files share a request', async () => {
    const site = pages(400);
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const options = { sandboxFor: () => sandbox, repository: { site } };
    assertSucceeded(await stage.run('many-small-files.yml', options));
    assertArrived(sandbox, site);
    assert.ok(uploadsTo(sandbox) < 100, `${uploadsTo(sandbox)} requests`);
  });

  test('shards.yml sends every file, each by one of the runners', async () => {
    const site = pages(30);
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('shards.yml', { sandboxFor: () => sandbox, repository: { site } });
    assertSucceeded(run);
    assertArrived(sandbox, site);
    assert.equal(uploadsTo(sandbox), 30);
    const [build, ...shares] = run.jobs.map(({ steps }) => steps.at(-1)?.end?.outputs['uploaded-count']);
    assert.equal(build, undefined);
    assert.deepEqual(
      shares.map(Number).sort((a, b) => a - b),
      [7, 7, 8, 8],
    );
  });

  test('matrix.yml syncs the build into each of the sandboxes', async () => {
    await using stage = await openStage();
    const ids = ['api', 'browser', 'load'].map(name => `box-${name}`);
    const sandboxes = await Promise.all(ids.map(sandboxId => stage.sandbox({ sandboxId })));
    const run = await stage.run('matrix.yml', {
      sandboxFor: ({ suite: name }) => sandboxes.find(({ id }) => id === `box-${String(name)}`),
    });
    assertSucceeded(run);
    assert.equal(run.jobs.length, 4);
    for (const sandbox of sandboxes) {
      assertArrived(sandbox, SITE);
      assertReached(sandbox, 'sandbox.example.com');
      assert.ok(run.log.includes(`tested ${sandbox.id}`));
    }
  });

  test('only-changed.yml sends everything, then nothing, then what changed, by the newest state', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({
      faults: [{ on: 'upload', path: 'app/index.html', times: 1, do: { kind: 'status', status: 400 } }],
    });
    const changed = { ...SITE, 'index.html': '<!doctype html><p>\n', 'new.txt': 'new' };
    const runs = [
      { site: SITE, requests: 5, said: undefined },
      // What the failed run sent is kept.
      { site: SITE, requests: 1, said: /\n1 files sent, 4 were there already$/ },
      { site: SITE, requests: 0, said: /\n0 files sent, 5 were there already$/ },
      { site: changed, requests: 2, said: /\n2 files sent, 4 were there already$/ },
      { site: changed, requests: 0, said: /\n0 files sent, 6 were there already$/ },
    ];
    for (const [index, { site, requests, said }] of runs.entries()) {
      const before = uploadsTo(sandbox);
      const options = { sandboxFor: () => sandbox, repository: { site }, runId: `${index}` };
      const run = await stage.run('only-changed.yml', options);
      if (said === undefined) assert.ok(!run.succeeded, run.log);
      else assertSucceeded(run, said);
      assert.equal(uploadsTo(sandbox) - before, requests);
    }
    assertArrived(sandbox, changed);
  });
});

function pages(count: number): Files {
  const names = Array.from({ length: count }, (_, index) => `${index % 20}/page ${index}.html`);
  return Object.fromEntries(names.map(name => [name, `<p>${name}`]));
}
