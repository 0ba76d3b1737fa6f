import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unlessLinux } from '../system.ts';
import { openWorld, runAction, runBadly, runWell } from './harness.ts';

describe("the runner's files", () => {
  test('if GITHUB_OUTPUT is full or missing, the step fails in plain words; the rest is written', async () => {
    await using world = await openWorld();
    const GITHUB_OUTPUT = process.platform === 'linux' ? '/dev/full' : undefined;
    const { errors, summary } = await runBadly(world, {}, { env: { GITHUB_OUTPUT } });
    assert.match(errors, /outputs could not be written/);
    assert.match(summary, /Uploaded 1 file/);
    assert.equal(world.stored('a.txt').toString(), 'text');
  });

  test('if there is no place for summary and report, that is a warning', async () => {
    await using world = await openWorld();
    const env = { GITHUB_STEP_SUMMARY: '/no/such/file', RUNNER_TEMP: undefined };
    const { warnings, outputs } = await runWell(world, {}, { env });
    assert.match(warnings, /summary could not be written/);
    assert.match(warnings, /RUNNER_TEMP/);
    assert.deepEqual([outputs['report'], outputs['uploaded-count']], ['', '1']);
  });

  test('if a monitor cannot keep its state, it says so in plain words', async () => {
    await using world = await openWorld();
    const monitor = { task: 'monitor', env: { RUNNER_TEMP: undefined } } as const;
    const inputs = { 'sample-interval': '1h' };
    const main = await runAction(world, inputs, monitor);
    // The post step ends a monitor that started all the same.
    if (main.exitCode === 0) await runAction(world, inputs, { ...monitor, post: main });
    assert.equal(main.exitCode, 1);
    assert.match(main.errors, /RUNNER_TEMP/);
  });

  const skip = unlessLinux('needs a loader for a closed log');
  test('if the log is closed, outputs and summary are still written', { skip }, async () => {
    await using world = await openWorld();
    const close =
      "process.stdout.write=()=>{process.stdout.emit('error',Object.assign(new Error('EPIPE'),{code:'EPIPE'}));return false}";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(close)}` };
    const { exitCode, outputs, summary } = await runAction(world, {}, { env });
    assert.deepEqual([exitCode, outputs['uploaded-count']], [0, '1']);
    assert.match(summary, /^<h3>✅/);
  });
});
