import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { inTurn, methods, openWorld, runWell } from './harness.ts';

suite('the task', () => {
  test('upload uploads, and asks for no stats', async () => {
    await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'bb' } });
    const { outputs, summary } = await runWell(world, { target: '/app' }, { task: 'upload' });
    assert.equal(methods(world), 'POST POST');
    assert.equal(world.stored('/app/b.txt').toString(), 'bb');
    assert.deepEqual([outputs['uploaded-count'], outputs['uploaded-bytes']], ['2', '3']);
    assert.doesNotMatch(summary, /CPU|not reported/);
  });

  test('stats reads the stats, searches no files, and shows the most that it saw', async () => {
    const metrics = inTurn('cpu_used_pct', 99, 30, 20);
    await using world = await openWorld({ files: {}, metrics });
    const inputs = { samples: '2', 'sample-interval': '200ms', 'warn-if': 'cpu_used_pct > 29' };
    const { outputs, summary, report } = await runWell(world, inputs, { task: 'stats' });
    assert.equal(methods(world), 'GET GET GET');
    assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['warned', '20']);
    assert.match(summary, /^<h3>⚠️ Sandbox Sync[\s\S]*30(\.0)?(&nbsp;| )%/);
    assert.deepEqual(report.files, []);
  });
});
