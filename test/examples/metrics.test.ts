import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { metricsWith, openStage, type Sandbox, skip } from './stage.ts';

const GIB = 2 ** 30;

/** A test run that loads the sandbox until it was looked at twice: when the second look begins, the first has ended. */
const LOADING_TESTS = `
mkdir -p "$SANDBOX_HOME" && cd "$SANDBOX_HOME"
touch load
for _ in {1..400}; do [ -e seen ] && break; sleep 0.05; done
rm load`;

suite('the example gate.yml', { concurrency: 3, skip }, () => {
  const cases = {
    passed: { metrics: {}, succeeded: true },
    warned: { metrics: { cpu_used_pct: 85 }, succeeded: true },
    failed: { metrics: { mem_used: 7.5 * GIB }, succeeded: false },
  };
  for (const [verdict, { metrics, succeeded }] of Object.entries(cases)) {
    test(`where the verdict is ${verdict}`, async () => {
      await using stage = await openStage();
      const sandbox = await stage.sandbox({ metrics: () => metricsWith(metrics) });
      const run = await stage.run('gate.yml', { sandboxFor: () => sandbox });
      assert.equal(run.outputs('check')['gate'], verdict, run.log);
      assert.equal(run.succeeded, succeeded, run.log);
      assert.equal(run.log.includes('\ndeployed'), verdict === 'passed');
      // Three, after one that begins the time which the CPU figure covers.
      assert.equal(sandbox.agent.requests.length, 4);
    });
  }
});

suite('the example monitor.yml', { concurrency: 2, skip }, () => {
  const cases = { 'high for a moment': 7.5 * GIB, 'never high': 7 * GIB };
  for (const [name, peak] of Object.entries(cases)) {
    test(`where memory was ${name}`, async () => {
      await using stage = await openStage();
      const sandbox: Sandbox = await stage.sandbox({ metrics: () => memoryUsed() });
      const memoryUsed = underLoad(sandbox, peak);
      const run = await stage.run('monitor.yml', {
        sandboxFor: () => sandbox,
        repository: { scripts: { 'run-tests.sh': LOADING_TESTS } },
      });
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
