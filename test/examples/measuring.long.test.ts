import assert from 'node:assert/strict';
import { existsSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, test } from 'node:test';
import { assertAsked, WHOLE_LIFE } from './checks.ts';
import { metricsWith } from './sandbox.ts';
import { openStage, skip } from './stage.ts';

const GIB = 2 ** 30;

/**
 * Tests that load the sandbox until it has been sampled twice: when the second sample starts, the
 * first has ended.
 */
const LOADING = `bash -c 'touch $FOLDER/load; for _ in {1..400}; do [ -e $FOLDER/seen ] && break; sleep 0.05; done; rm $FOLDER/load'`;

suite('the example', { concurrency: 2, skip }, () => {
  const verdicts = { passed: {}, warned: { cpu_used_pct: 85 }, failed: { mem_used: 7.5 * GIB } };
  for (const [verdict, metrics] of Object.entries(verdicts)) {
    test(`gate.yml, where the verdict is ${verdict}`, async () => {
      await using stage = await openStage();
      const service = await stage.service({ agents: { metrics: () => metricsWith(metrics) } });
      const run = await stage.run('gate.yml', { service });
      const check = run.jobs.flatMap(({ steps }) => steps).find(({ step }) => step.id === 'check');
      assert.equal(check?.end?.outputs['gate'], verdict, run.log);
      assert.equal(run.succeeded, verdict !== 'failed', run.log);
      assert.equal(run.log.includes('\nMemory and disk are fine.'), verdict === 'passed');
      // One to wait for the agent, one that starts the CPU figure, and three samples.
      const requests = service.plane.created.flatMap(({ agent }) => agent.requests);
      assert.equal(requests.filter(({ method }) => method === 'GET').length, 5);
      assertAsked(service, ...WHOLE_LIFE);
    });
  }

  for (const [name, peak] of Object.entries({
    'high for a moment': 7.5 * GIB,
    'never high': 7 * GIB,
  })) {
    test(`monitor.yml, where memory was ${name}`, async () => {
      await using stage = await openStage();
      using folder = mkdtempDisposableSync(path.join(tmpdir(), 'load-'));
      const memoryUsed = underLoad(folder.path, peak);
      const service = await stage.service({ agents: { metrics: () => memoryUsed() } });
      const repository = { test: LOADING.replaceAll('$FOLDER', folder.path) };
      const run = await stage.run('monitor.yml', { service, repository });
      const post = run.jobs.flatMap(({ steps }) => steps).find(({ phase }) => phase === 'post');
      assert.equal(run.succeeded, peak === 7 * GIB, run.log);
      assert.match(post?.end?.summary ?? '', /Peak over \d+ samples/);
      // The monitor ends first, so it sees the sandbox to the end.
      assert.match(run.log, /── Post .*\/monitor@v1.*── Post .*\/sandbox@v1/s);
      assertAsked(service, ...WHOLE_LIFE);
    });
  }
});

/** Metrics of a sandbox that is loaded while tests run; tells the tests once they were seen. */
function underLoad(folder: string, peak: number): () => ReturnType<typeof metricsWith> {
  let seen = 0;
  return () => {
    if (!existsSync(path.join(folder, 'load'))) return metricsWith({ mem_used: GIB });
    seen += 1;
    if (seen === 2) writeFileSync(path.join(folder, 'seen'), '');
    return metricsWith({ mem_used: peak });
  };
}
