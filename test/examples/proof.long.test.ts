import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { assertFits } from '../action/schema.ts';
import { assertSucceeded } from './checks.ts';
import { SITE } from './repository.ts';
import { homeOf, metricsWith, type Service, uploadsTo } from './sandbox.ts';
import { openStage, type Run, type Stage, skip, TOKEN } from './stage.ts';

const GIB = 2 ** 30;

/** A service with an existing sandbox. */
async function openBox(stage: Stage, metrics = {}): Promise<Service> {
  const service = await stage.service({ agents: { metrics: () => metricsWith(metrics) } });
  await service.plane.create('box', TOKEN);
  return service;
}

function homeOfBox({ plane }: Service): string {
  const [box] = plane.created;
  return homeOf(box ?? assert.fail('there is no sandbox'));
}

function outcomesOf(run: Run): string[] {
  const mains = run.jobs.flatMap(({ steps }) => steps).filter(({ phase }) => phase === 'main');
  return mains.map(({ outcome }) => outcome);
}

suite('the example', { concurrency: 2, skip }, () => {
  test('proof.yml checks the sandbox, attests the files and keeps the report', async () => {
    await using stage = await openStage();
    const service = await openBox(stage);
    assertSucceeded(await stage.run('proof.yml', { service }), /^Deployed sha256:[0-9a-f]{64}$/m);
    const expected = Object.entries(SITE).map(([name, content]) => ({
      name: `/home/user/app/${name}`,
      digest: createHash('sha256').update(content).digest('hex'),
    }));
    const byName = (one: { name: string }, other: { name: string }) =>
      one.name < other.name ? -1 : 1;
    assert.deepEqual([...stage.subjects].sort(byName), expected.sort(byName));
    const report: unknown = JSON.parse(readFileSync(path.join(stage.artifacts, 'report'), 'utf8'));
    assertFits('report', report);
  });

  test('proof.yml fails if the sandbox lacks what its agent acknowledged', async () => {
    await using stage = await openStage();
    const faults = [{ on: 'upload', times: 1, do: { kind: 'drop' } }] as const;
    const service = await stage.service({ agents: { faults } });
    await service.plane.create('box', TOKEN);
    mkdirSync(homeOfBox(service), { recursive: true });
    const run = await stage.run('proof.yml', { service });
    assert.ok(!run.succeeded);
    assert.match(run.log, /sha256sum: .*No such file or directory/);
    assert.deepEqual(stage.subjects, []);
  });

  test('same-build.yml deploys a build once, and again after another', async () => {
    await using stage = await openStage();
    const service = await openBox(stage);
    const deploy = async (runId: string, site = SITE) => {
      const before = uploadsTo(service);
      const run = await stage.run('same-build.yml', { service, runId, repository: { site } });
      assertSucceeded(run);
      return uploadsTo(service) - before;
    };
    assert.ok((await deploy('1')) > 0);
    assert.equal(await deploy('2'), 0);
    assert.ok((await deploy('3', { ...SITE, 'index.html': 'new' })) > 0);
    assert.ok((await deploy('4')) > 0);
    assert.equal(await deploy('5'), 0);
  });

  for (const [verdict, metrics] of Object.entries({
    passed: {},
    warned: { cpu_used_pct: 85 },
    failed: { mem_used: 7.5 * GIB },
  })) {
    test(`load-test.yml, where the verdict is ${verdict}`, async () => {
      await using stage = await openStage();
      const service = await openBox(stage, metrics);
      const run = await stage.run('load-test.yml', { service });
      assert.equal(run.succeeded, verdict !== 'failed', run.log);
      const stop = run.jobs.flatMap(({ steps }) => steps).find(({ step }) => step.id === 'load');
      assert.equal(stop?.end?.outputs['gate'], verdict);
      assert.equal(outcomesOf(run).at(-1), verdict === 'passed' ? 'success' : 'skipped');
      const live = path.join(homeOfBox(service), 'app/index.html');
      if (verdict === 'passed') assert.equal(readFileSync(live, 'utf8'), SITE['index.html']);
      else assert.throws(() => readFileSync(live), { code: 'ENOENT' });
    });
  }
});
