import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import {
  below,
  type Files,
  filesBelow,
  hostsOf,
  metricsWith,
  openStage,
  PACKAGE,
  SITE,
  skip,
} from './stage.ts';

suite('the example', { concurrency: 2, skip }, () => {
  test('sync.yml syncs all but the maps, and says what came of it', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('sync.yml', { sandboxFor: () => sandbox });
    assert.ok(run.succeeded, run.log);
    assert.match(run.log, /\n5 files, 50\.00 % of the disk$/);
    const { 'assets/app.js.map': _, ...sent } = SITE;
    assert.deepEqual(filesBelow(sandbox.home), below('app', { ...sent, 'package.json': PACKAGE }));
    assert.deepEqual(hostsOf(sandbox), {
      tunnelled: ['sandbox.example.com:443'],
      named: ['sandbox.example.com'],
    });
  });

  test('wait.yml sends nothing before the sandbox has started and is calm', async () => {
    await using stage = await openStage();
    const loads = [95, 5];
    const sandbox = await stage.sandbox({
      metrics: () => metricsWith({ cpu_used_pct: loads.shift() ?? 5 }),
      faults: [{ on: 'stats', times: 1, do: { kind: 'status', status: 502 } }],
    });
    const run = await stage.run('wait.yml', { sandboxFor: () => sandbox });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual(
      sandbox.agent.requests.slice(0, 4).map(({ method, status }) => `${method} ${status}`),
      ['GET 502', 'GET 200', 'GET 200', 'POST 200'],
    );
    assert.deepEqual(filesBelow(sandbox.home), below('app', SITE));
  });

  test('self-hosted.yml reaches the service by the proxy and the CA of its variables alone', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({ headerPrefix: 'Svc' });
    const run = await stage.run('self-hosted.yml', {
      sandboxFor: () => undefined,
      vars: { HTTPS_PROXY: `http://${sandbox.proxy.address}`, CA_FILE: stage.caFile },
    });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual(hostsOf(sandbox).tunnelled, ['sandbox.example.com:443']);
    assert.deepEqual(filesBelow(sandbox.home), below('app', SITE));
  });

  test('host-routing.yml asks for the host of the port and the sandbox', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox({ headerPrefix: 'Svc' });
    const run = await stage.run('host-routing.yml', { sandboxFor: () => sandbox });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual(hostsOf(sandbox), {
      tunnelled: ['49983-box.example.com:443'],
      named: ['49983-box.example.com'],
    });
    assert.deepEqual(filesBelow(sandbox.home), below('app', SITE));
  });

  test('archive.yml brings modes along', async () => {
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('archive.yml', { sandboxFor: () => sandbox });
    assert.ok(run.succeeded, run.log);
    const { 'dist.tar.gz': archive, ...unpacked } = filesBelow(sandbox.home);
    assert.ok(archive);
    assert.deepEqual(unpacked, below('app', SITE));
    const modeOf = (name: string) => statSync(path.join(sandbox.home, 'app', name)).mode & 0o777;
    assert.deepEqual([modeOf('bin/serve'), modeOf('index.html')], [0o755, 0o644]);
  });

  test('many-small-files.yml lets many files share a request', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `${index % 20}/page ${index}.html`);
    const site: Files = Object.fromEntries(names.map(name => [name, `<p>${name}`]));
    await using stage = await openStage();
    const sandbox = await stage.sandbox();
    const run = await stage.run('many-small-files.yml', { sandboxFor: () => sandbox, repository: { site } });
    assert.ok(run.succeeded, run.log);
    assert.deepEqual(filesBelow(sandbox.home), below('app', site));
    const uploads = sandbox.agent.requests.filter(({ method }) => method === 'POST');
    assert.ok(uploads.length < 100, `${uploads.length} requests`);
  });
});
