import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { actionOf, inTurn, methods, openWorld, runBadly, runWell, type Task } from './harness.ts';

async function outputsOf(task: Task): Promise<Set<string>> {
  return new Set((await actionOf(task)).outputs.map(({ name }) => name));
}

suite('each action', () => {
  test('has exactly the outputs of its action.yml, whatever becomes of it', async () => {
    await using world = await openWorld();
    const refused = await runBadly(world, { retries: 'often', 'header-prefix': 'a b' });
    assert.equal(world.agent.connections(), 0);
    assert.match(refused.errors, /2 inputs are invalid/);
    const denied = await runBadly(world, { token: 'wrong' });
    assert.match(denied.errors, /answered 401[\s\S]*token/);
    for (const { outputs } of [refused, denied])
      assert.deepEqual(new Set(Object.keys(outputs)), await outputsOf('sync'));
  });

  test('monitor and its stop action judge from the start to the stop, and the post step is silent', async () => {
    await using world = await openWorld({ metrics: inTurn('cpu_used_pct', 5, 90) });
    // Only the first and the last sample.
    const inputs = { 'sample-interval': '1h', 'warn-if': 'cpu_used_pct > 80' };
    const main = await runWell(world, inputs, { task: 'monitor' });
    const { monitor = '' } = main.outputs;
    const stop = await runWell(world, { monitor }, { task: 'monitor-stop' });
    await runWell(world, inputs, { task: 'monitor', post: main });
    assert.deepEqual(new Set(Object.keys(main.outputs)), await outputsOf('monitor'));
    assert.deepEqual(new Set(Object.keys(stop.outputs)), await outputsOf('monitor-stop'));
    assert.equal(stop.outputs['gate'], 'warned');
    assert.match(stop.summary, /2 samples/);
    assert.equal(methods(world), 'GET GET');
  });

  test('upload uploads, and asks for no stats', async () => {
    await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'bb' } });
    const { outputs, summary } = await runWell(world, { target: '/app' }, { task: 'upload' });
    assert.equal(methods(world), 'POST POST');
    assert.equal(world.stored('/app/b.txt').toString(), 'bb');
    assert.deepEqual([outputs['uploaded-count'], outputs['uploaded-bytes']], ['2', '3']);
    assert.deepEqual(new Set(Object.keys(outputs)), await outputsOf('upload'));
    assert.doesNotMatch(summary, /CPU|not reported/);
  });

  test('stats reads the stats, searches no files, and shows the most that it saw', async () => {
    const metrics = inTurn('cpu_used_pct', 99, 30, 20);
    await using world = await openWorld({ files: {}, metrics });
    const inputs = { samples: '2', 'sample-interval': '200ms', 'warn-if': 'cpu_used_pct > 29' };
    const { outputs, summary, report } = await runWell(world, inputs, { task: 'stats' });
    assert.equal(methods(world), 'GET GET GET');
    assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['warned', '20']);
    assert.deepEqual(new Set(Object.keys(outputs)), await outputsOf('stats'));
    assert.match(summary, /^<h3>⚠️ Sandbox Sync[\s\S]*30(\.0)?(&nbsp;| )%/);
    assert.deepEqual(report.files, []);
  });
});
