import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openWorld, type Result, runBadly, runWell } from '../../action/harness.ts';
import { unlessLinux } from '../../system.ts';

const LINUX = { skip: unlessLinux('needs /dev/full') };

/** Messages about what is missing or full. */
const OUTPUT = /^The step's outputs could not be written: /m;
const SUMMARY = /^The job summary could not be written: /m;
const REPORT = /^The report file could not be written: /m;

suite("the runner's places", { concurrency: 2 }, () => {
  test('without GITHUB_OUTPUT the step fails and says so; the rest is written', async () => {
    await using world = await openWorld();
    const elsewhere = await runBadly(
      world,
      {},
      { env: { GITHUB_OUTPUT: path.join(world.outside, 'no/such') } },
    );
    assert.match(elsewhere.annotations('error').join(), OUTPUT);
    const result = await runBadly(world, {}, { env: { GITHUB_OUTPUT: undefined } });
    const error = result.annotations('error').join('\n');
    assert.match(error, OUTPUT);
    assert.match(error, /GITHUB_OUTPUT is not set/);
    assert.match(result.summary, /Uploaded 1 file/);
    assert.equal(world.stored('a.txt').toString(), 'text');
    assertNoStack(result);
  });

  test('without a file for the summary there is a warning', async () => {
    await using world = await openWorld();
    for (const GITHUB_STEP_SUMMARY of [undefined, '/no/such/file', '/']) {
      const result = await runWell(world, {}, { env: { GITHUB_STEP_SUMMARY } });
      assert.match(result.annotations('warning').join('\n'), SUMMARY);
      assert.equal(result.outputs['uploaded-count'], '1');
      assertNoStack(result);
    }
  });

  test('without RUNNER_TEMP there is a warning and no report', async () => {
    await using world = await openWorld();
    const result = await runWell(world, {}, { env: { RUNNER_TEMP: undefined } });
    const warnings = result.annotations('warning').join('\n');
    assert.match(warnings, REPORT);
    assert.match(warnings, /RUNNER_TEMP is not set/);
    assert.deepEqual([result.outputs['report'], result.outputs['uploaded-count']], ['', '1']);
    assertNoStack(result);
  });

  test('with a full disk under GITHUB_OUTPUT the step fails and says so', LINUX, async () => {
    await using world = await openWorld();
    const result = await runBadly(world, {}, { env: { GITHUB_OUTPUT: '/dev/full' } });
    const error = result.annotations('error').join('\n');
    assert.match(error, OUTPUT);
    assert.match(error, /ENOSPC/);
    assert.match(result.summary, /Uploaded 1 file/);
    assertNoStack(result);
  });

  test('with a full disk under GITHUB_STEP_SUMMARY there is a warning', LINUX, async () => {
    await using world = await openWorld();
    const result = await runWell(world, {}, { env: { GITHUB_STEP_SUMMARY: '/dev/full' } });
    const warnings = result.annotations('warning').join('\n');
    assert.match(warnings, SUMMARY);
    assert.match(warnings, /ENOSPC/);
    assert.equal(result.outputs['uploaded-count'], '1');
    assertNoStack(result);
  });

  test('with a full disk under RUNNER_TEMP there is a warning and no report', LINUX, async t => {
    const content = 'x'.repeat(100);
    const files = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`f${index}`, content]),
    );
    await using world = await openWorld({ files });
    const temp = path.join(world.outside, 'temp');
    mkdirSync(temp);
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', temp]);
    if (mount.status !== 0) return t.skip('may not mount a small disk');
    using _ = { [Symbol.dispose]: () => void spawnSync('umount', [temp]) };
    const result = await runWell(world, {}, { env: { RUNNER_TEMP: temp } });
    const warnings = result.annotations('warning').join('\n');
    assert.match(warnings, REPORT);
    assert.match(warnings, /ENOSPC/);
    assert.deepEqual([result.outputs['report'], result.outputs['uploaded-count']], ['', '400']);
    assertNoStack(result);
  });
});

function assertNoStack({ stdout }: Result): void {
  assert.doesNotMatch(stdout, /^\s*at |%0A\s+at /m);
}
