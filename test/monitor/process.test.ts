import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { folderOf, openWorld, SANDBOX_ID, TOKEN, type World } from '../action/harness.ts';
import { unlessLinux } from '../system.ts';
import { processIn, readProcess, startJob, until } from './monitoring.ts';

const NONE = new Set<string>();

// With undici's WebAssembly parser, half as much again as Node itself.
const MAX_MEMORY_KB = 70 * 1024;

describe('the sampling process', { skip: unlessLinux('reads /proc') }, () => {
  test('keeps the token to itself, and stays small', async t => {
    await using job = await startJob();
    const { directory } = job;
    const folder = await until(() => processIn(directory));
    await job.use(10, 20);
    const texts = [readProcess(folder, 'cmdline'), readProcess(folder, 'environ')];
    for (const file of ['', ...readdirSync(directory)].map(name => path.join(directory, name))) {
      const stats = statSync(file);
      assert.equal(stats.mode & 0o077, 0, `${file} is for this user alone`);
      if (stats.isFile()) texts.push(readFileSync(file, 'utf8'));
    }
    for (const text of texts) assert.ok(!text.includes(TOKEN));
    assert.doesNotMatch(readProcess(folder, 'environ'), /INPUT_|GITHUB_/);
    const peak = Number(/VmHWM:\s*(\d+) kB/.exec(readProcess(folder, 'status'))?.[1]);
    t.diagnostic(`${Math.round(peak / 1024)} MiB at most`);
    assert.ok(peak < MAX_MEMORY_KB, `${peak} kB`);
    assert.doesNotMatch(JSON.stringify((await job.post()).state), new RegExp(TOKEN));
  });

  test('ends when the job is gone', async () => {
    await using world = await openWorld();
    const directory = startInJobThatDies(world);
    await until(() => (processIn(directory) === undefined ? true : undefined));
    assert.equal((await readRecord(directory, NONE)).end?.what, 'its job is gone');
  });

  test('ends when its directory is gone', async () => {
    await using job = await startJob({ 'sample-interval': '1h' });
    const folder = await until(() => processIn(job.directory));
    await until(async () => (await readRecord(job.directory, NONE)).samples[0]);
    await job.world[Symbol.asyncDispose]();
    await until(() => (processIn(job.directory) === folder ? undefined : true));
  });
});

/** Starts a monitor from a process that then ends. Returns the monitor's directory. */
function startInJobThatDies({ workspace, temp, agent }: World): string {
  const inputs = {
    'sandbox-id': SANDBOX_ID,
    token: TOKEN,
    'base-url': agent.url,
    'sample-interval': '1h',
  };
  const step = { action: folderOf('monitor'), workspace, temp, inputs };
  const runner = path.resolve(import.meta.dirname, '../../dev/runner/step.ts');
  const script = `
    const { runStep } = await import(${JSON.stringify(runner)});
    console.log((await runStep(${JSON.stringify(step)})).state.directory);
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  }).trim();
}
