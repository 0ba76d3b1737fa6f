import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { metricsWith, type Sandbox } from './sandbox.ts';
import { openStage, skip } from './stage.ts';

const GIB = 2 ** 30;

/** A test run that loads the sandbox until it was looked at twice: when the second look begins, the first has ended. */
const LOADING_TESTS = `
mkdir -p "$SANDBOX_HOME" && cd "$SANDBOX_HOME"
touch load
for _ in {1..400}; do [ -e seen ] && break; sleep 0.05; done
rm load`;

suite('the example', { concurrency: 2, skip }, () => {
  const verdicts = { passed: {}, warned: { cpu_used_pct: 85 }, failed: { mem_used: 7.5 * GIB } };
  for (const [verdict, metrics] of Object.entries(verdicts)) {
    test(`gate.yml, where the verdict is ${verdict}`, async () => {
      await using stage = await openStage();
      const sandbox = await stage.sandbox({ metrics: () => metricsWith(metrics) });
      const run = await stage.run('gate.yml', { sandboxFor: () => sandbox });
      const check = run.jobs.flatMap(({ steps }) => steps).find(({ step }) => step.id === 'check');
      assert.equal(check?.end?.outputs['gate'], verdict, run.log);
      assert.equal(run.succeeded, verdict !== 'failed', run.log);
      assert.equal(run.log.includes('\ndeployed'), verdict === 'passed');
      // Three, after one that begins the time which the CPU figure covers.
      assert.equal(sandbox.agent.requests.length, 4);
    });
  }

  for (const [name, peak] of Object.entries({ 'high for a moment': 7.5 * GIB, 'never high': 7 * GIB })) {
    test(`monitor.yml, where memory was ${name}`, async () => {
      await using stage = await openStage();
      const sandbox: Sandbox = await stage.sandbox({ metrics: () => memoryUsed() });
      const memoryUsed = underLoad(sandbox, peak);
      const repository = { scripts: { 'run-tests.sh': LOADING_TESTS } };
      const run = await stage.run('monitor.yml', { sandboxFor: () => sandbox, repository });
      const post = run.jobs.flatMap(({ steps }) => steps).find(({ phase }) => phase === 'post');
      assert.equal(run.succeeded, peak === 7 * GIB, run.log);
      assert.match(post?.end?.summary ?? '', /\bmem_used_pct\b/);
    });
  }
});

/** Metrics of a sandbox whose memory is used while tests load it, who are told that it was seen. */
function underLoad({ home }: Sandbox, peak: number): () => ReturnType<typeof metricsWith> {
  let seen = 0;
  return () => {
    if (!existsSync(path.join(home, 'load'))) return metricsWith({ mem_used: GIB });
    seen += 1;
    if (seen === 2) writeFileSync(path.join(home, 'seen'), '');
    return metricsWith({ mem_used: peak });
  };
}
