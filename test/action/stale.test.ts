import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { METRICS, openWorld, runBadly, runWell } from './harness.ts';

const SAYS =
  /The sandbox was not seen from \S+ UTC to \S+ UTC, since its clock \(ts\) stood still for [\d.]+ (s|min)/;

// Speeds up the runner's clock a hundredfold: 200 ms become 20 s.
const FAST =
  'const real = Date.now; const start = real(); Date.now = () => start + (real() - start) * 100;';
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAST)}` };

const SEVERAL = { samples: '2', 'sample-interval': '200ms' };
const GATED = { 'fail-if': 'mem_used_pct > 99' };

suite('stats whose clock stands still for ten seconds', { concurrency: 2 }, () => {
  for (const task of ['stats', 'sync'] as const) {
    test(`fail the gate of ${task}`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, { ...SEVERAL, ...GATED }, { task, env });
      assert.equal(result.outputs['gate'], 'failed');
      assert.match(result.annotations('error').join('\n'), SAYS);
      assert.match(result.summary, /stood still/);
    });
  }

  test('are a warning without fail-if', async () => {
    await using world = await openWorld();
    const inputs = { ...SEVERAL, 'warn-if': 'mem_used_pct > 99' };
    const result = await runWell(world, inputs, { task: 'stats', env });
    assert.equal(result.outputs['gate'], 'warned');
    assert.match(result.annotations('warning').join('\n'), SAYS);
  });

  test('are found by one sample, compared with the one before the upload', async () => {
    const faults = [{ on: 'upload', do: { kind: 'delay', ms: 200 } }] as const;
    await using world = await openWorld({ faults });
    const result = await runBadly(world, GATED, { env });
    assert.match(result.annotations('error').join('\n'), SAYS);
  });

  for (const [what, ts] of Object.entries({ 'goes on': 1, 'is always 0': 0 })) {
    test(`pass if the clock ${what}`, async () => {
      let now = 0;
      const metrics = () => {
        now += ts;
        return { ...METRICS, ts: now };
      };
      await using world = await openWorld({ metrics });
      const { outputs } = await runWell(world, { ...SEVERAL, ...GATED }, { task: 'stats', env });
      assert.equal(outputs['gate'], 'passed');
    });
  }
});
