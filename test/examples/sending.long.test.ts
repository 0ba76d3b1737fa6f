import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { assertArrived, assertReached, assertSucceeded } from './checks.ts';
import { type Files, SITE } from './repository.ts';
import { homeOf, metricsWith, uploadsTo } from './sandbox.ts';
import { openStage, skip, TOKEN } from './stage.ts';

suite('the example', { concurrency: 2, skip }, () => {
  test('wait.yml sends nothing before the sandbox has started and is calm', async () => {
    await using stage = await openStage();
    const loads = [95, 5];
    const service = await stage.service({
      agents: {
        metrics: () => metricsWith({ cpu_used_pct: loads.shift() ?? 5 }),
        faults: [{ on: 'stats', times: 1, do: { kind: 'status', status: 502 } }],
      },
    });
    assertSucceeded(await stage.run('wait.yml', { service }));
    const requests = service.plane.created.flatMap(({ agent }) => agent.requests);
    assert.deepEqual(
      requests.slice(0, 4).map(({ method, status }) => `${method} ${status}`),
      ['GET 502', 'GET 200', 'GET 200', 'POST 200'],
    );
    assertArrived(service, SITE);
  });

  test('self-hosted.yml reaches the service by the proxy and the CA of its variables alone', async () => {
    await using stage = await openStage();
    const service = await stage.service({ agents: { headerPrefix: 'Svc' } });
    await service.plane.create('box', TOKEN);
    const vars = { HTTPS_PROXY: `http://${service.proxy.address}`, CA_FILE: stage.caFile };
    assertSucceeded(await stage.run('self-hosted.yml', { vars }));
    assertReached(service, 'sandbox.example.com');
    assertArrived(service, SITE);
  });

  test('host-routing.yml asks for the host of the port and the sandbox', async () => {
    await using stage = await openStage();
    const service = await stage.service({ agents: { headerPrefix: 'Svc' } });
    assertSucceeded(await stage.run('host-routing.yml', { service }));
    assertReached(service, 'api.e2b.app', `49983-${service.plane.created[0]?.id}.e2b.app`);
    assertArrived(service, SITE);
  });

  test('archive.yml brings modes along', async () => {
    await using stage = await openStage();
    const service = await stage.service();
    assertSucceeded(await stage.run('archive.yml', { service }));
    assertArrived(service, SITE, ['dist.tar.gz']);
    const [home = ''] = service.plane.created.map(homeOf);
    const modeOf = (name: string) => statSync(path.join(home, 'app', name)).mode & 0o777;
    assert.deepEqual([modeOf('bin/serve'), modeOf('index.html')], [0o755, 0o644]);
  });

  test('many-small-files.yml lets many files share a request', async () => {
    const site = pages(400);
    await using stage = await openStage();
    const service = await stage.service({ agents: { headerPrefix: 'Svc' } });
    await service.plane.create('box', TOKEN);
    assertSucceeded(await stage.run('many-small-files.yml', { service, repository: { site } }));
    assertArrived(service, site);
    assert.ok(uploadsTo(service) < 100, `${uploadsTo(service)} requests`);
  });

  test('shards.yml sends every file, each by one of the runners', async () => {
    const site = pages(30);
    await using stage = await openStage();
    const service = await stage.service();
    await service.plane.create('box', TOKEN);
    const run = await stage.run('shards.yml', { service, repository: { site } });
    assertSucceeded(run);
    assertArrived(service, site);
    const [build, ...shares] = run.jobs.map(
      ({ steps }) => steps.at(-1)?.end?.outputs['uploaded-count'],
    );
    assert.equal(build, undefined);
    assert.deepEqual(
      shares.map(Number).sort((a, b) => a - b),
      [7, 7, 8, 8],
    );
  });

  test('only-changed.yml sends everything, then nothing, then what changed, by the newest state', async () => {
    await using stage = await openStage();
    const service = await stage.service({
      // Fails the batch and then one of its files.
      agents: { faults: [{ on: 'upload', times: 2, do: { kind: 'status', status: 400 } }] },
    });
    await service.plane.create('box', TOKEN);
    const changed = { ...SITE, 'index.html': '<!doctype html><p>\n', 'new.txt': 'new' };
    const runs = [
      { site: SITE, isSent: true, said: undefined },
      // The failed run's uploads are kept.
      { site: SITE, isSent: true, said: /\n1 files sent, 4 were there already$/ },
      { site: SITE, isSent: false, said: /\n0 files sent, 5 were there already$/ },
      { site: changed, isSent: true, said: /\n2 files sent, 4 were there already$/ },
      { site: changed, isSent: false, said: /\n0 files sent, 6 were there already$/ },
    ];
    for (const [index, { site, isSent, said }] of runs.entries()) {
      const before = uploadsTo(service);
      const options = { service, repository: { site }, runId: `${index}` };
      const run = await stage.run('only-changed.yml', options);
      if (said === undefined) assert.ok(!run.succeeded, run.log);
      else assertSucceeded(run, said);
      assert.equal(uploadsTo(service) > before, isSent);
    }
    assertArrived(service, changed);
  });
});

function pages(count: number): Files {
  const names = Array.from({ length: count }, (_, index) => `${index % 20}/page ${index}.html`);
  return Object.fromEntries(names.map(name => [name, `<p>${name}`]));
}
