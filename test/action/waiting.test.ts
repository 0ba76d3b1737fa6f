import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { METRICS, openWorld, runBadly, runWell, TOKEN, uploads, type World } from './harness.ts';

const PATIENT = { 'wait-until': 'cpu_used_pct < 20\nmem_free > 1GiB', 'sample-interval': '200ms' };
const BRIEF = { ...PATIENT, 'wait-timeout': '500ms' };

/** Metrics with these CPU figures in turn, then always the last. */
function busyFor(...loads: readonly number[]) {
  let asked = 0;
  return () => ({ ...METRICS, cpu_used_pct: loads[Math.min(asked++, loads.length - 1)] });
}

function methods({ agent }: World): string[] {
  return agent.requests.map(({ method }) => method);
}

suite('waiting', { concurrency: 2 }, () => {
  test('comes before the upload, and the gate after it', async () => {
    await using world = await openWorld({ metrics: busyFor(90, 50, 10, 90, 60) });
    const result = await runBadly(world, { ...PATIENT, 'fail-if': 'cpu_used_pct > 55' });
    // A sample before the upload starts the time that the next CPU figure covers.
    assert.deepEqual(methods(world), ['GET', 'GET', 'GET', 'GET', 'POST', 'GET']);
    assert.deepEqual([result.outputs['gate'], result.outputs['cpu-used-pct']], ['failed', '60']);
    assert.equal(result.outputs['uploaded-count'], '1');
  });

  test('of the stats task comes before the reading that counts', async () => {
    await using world = await openWorld({ metrics: busyFor(90, 10, 15) });
    const { outputs } = await runWell(world, PATIENT, { task: 'stats' });
    assert.deepEqual(methods(world), ['GET', 'GET', 'GET']);
    assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['none', '15']);
  });

  test('goes on while the agent is not up', async () => {
    const portNotOpen = '{"message":"The sandbox is running but port is not open","code":502}';
    await using world = await openWorld({
      faults: [
        { on: 'stats', times: 1, do: { kind: 'status', status: 502, body: portNotOpen } },
        { on: 'stats', skip: 0, times: 1, do: { kind: 'status', status: 503 } },
        { on: 'stats', times: 1, do: { kind: 'reset', at: 'before-body' } },
      ],
    });
    await runWell(world, { ...PATIENT, retries: '0' });
    assert.deepEqual(methods(world), ['GET', 'GET', 'GET', 'GET', 'POST', 'GET']);
  });

  test('for ready goes on once there are stats, and says how long it took', async () => {
    await using world = await openWorld({
      faults: [{ on: 'stats', times: 1, do: { kind: 'status', status: 503 } }],
    });
    const { lines } = await runWell(world, { ...PATIENT, 'wait-until': 'ready' });
    assert.deepEqual(methods(world), ['GET', 'GET', 'POST', 'GET']);
    assert.match(lines.join('\n'), /^The sandbox was ready after \d+ m?s$/m);
  });

  test('for what the sandbox does not report says so at once', async () => {
    await using world = await openWorld();
    const { lines } = await runBadly(world, { ...BRIEF, 'wait-until': 'gpu_used < 5' });
    assert.match(
      lines.join('\n'),
      /^Waited \d+ ms: gpu_used < 5 cannot be judged: the sandbox does not report gpu_used/m,
    );
  });

  test('that times out leaves the files, and shows the figures last seen', async () => {
    await using world = await openWorld({
      metrics: busyFor(90, 87.5),
      files: { 'a.txt': 'a', 'b.txt': 'b' },
    });
    const result = await runBadly(world, { ...BRIEF, 'fail-if': 'mem_used_pct > 99' });
    assert.equal(uploads(world).length, 0);
    assert.deepEqual(
      result.report.files.map(({ status, reason }) => [status, reason]),
      [
        ['not-attempted', 'the sandbox was not ready'],
        ['not-attempted', 'the sandbox was not ready'],
      ],
    );
    const errors = result.annotations('error').join('\n');
    assert.match(errors, /not ready within/);
    assert.match(errors, /^cpu_used_pct < 20 does not hold: it was 87\.5 %$/m);
    assert.doesNotMatch(errors, /mem_free/);
    assert.match(
      result.summary,
      /<code>cpu_used_pct &lt; 20<\/code> does not hold: it was 87\.5 %/,
    );
    assert.deepEqual([result.outputs['gate'], result.outputs['uploaded-count']], ['failed', '0']);
  });

  for (const task of ['sync', 'stats'] as const) {
    test(`of ${task} says how long it waited: as long as wait-timeout`, async () => {
      await using world = await openWorld({ metrics: busyFor(90) });
      const result = await runBadly(world, { ...PATIENT, 'wait-timeout': '300ms' }, { task });
      const [, ms] = /not ready within (\d+) ms/.exec(result.annotations('error').join('\n')) ?? [];
      assert.ok(Number(ms) >= 300, `${ms} ms`);
    });

    test(`of ${task} for an agent that is never up ends with what it last met`, async () => {
      await using world = await openWorld();
      const closed = world.agent.url;
      await world.agent.close();
      const result = await runBadly(world, { ...BRIEF, 'base-url': closed }, { task });
      const errors = result.annotations('error').join('\n');
      assert.match(errors, /not ready within/);
      assert.match(errors, /the connection was refused/);
    });

    test(`of ${task} ends at once where the token is wrong`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, { ...PATIENT, token: `${TOKEN}-not` }, { task });
      assert.deepEqual(methods(world), ['GET']);
      const errors = result.annotations('error').join('\n');
      assert.match(errors, /answered 401/);
      assert.match(errors, /Check token \(the sandbox's access token/);
    });

    test(`of ${task} ends at once where the sandbox is not found`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, { ...PATIENT, 'sandbox-id': 'other' }, { task });
      assert.deepEqual(methods(world), ['GET']);
      assert.match(
        result.annotations('error').join('\n'),
        /sandbox was not found[\s\S]*Check sandbox-id/,
      );
    });
  }

  test('does not happen in a dry run', async () => {
    await using world = await openWorld();
    const inputs = { ...PATIENT, 'fail-if': 'cpu_count > 0', 'dry-run': 'true' };
    const { outputs, report } = await runWell(world, inputs);
    assert.equal(world.agent.connections(), 0);
    assert.deepEqual(
      [outputs['gate'], outputs['breaches'], outputs['aggregates']],
      ['none', '[]', '{}'],
    );
    assert.equal(report.dryRun, true);
  });
});
