import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { directoryOf, MONITOR, openJob, processIn, readProcess, TOKEN, until } from './monitoring.ts';

const MAX_MEMORY_KB = 60 * 1024;

describe('the sampling process', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('keeps the token out of its command line, its environment, its files and the state', async () => {
    await using job = await openJob();
    const main = await job.main();
    const directory = directoryOf(main);
    const folder = await until(() => processIn(directory));
    await until(() => (job.agent.requests.length >= 3 ? true : undefined));
    const texts = [
      readProcess(folder, 'cmdline'),
      readProcess(folder, 'environ'),
      JSON.stringify(main.state),
    ];
    for (const name of readdirSync(directory)) {
      const file = path.join(directory, name);
      assert.equal(statSync(file).mode & 0o077, 0, `${name} is for this user alone`);
      texts.push(readFileSync(file, 'utf8'));
    }
    assert.equal(statSync(directory).mode & 0o077, 0);
    for (const text of texts) assert.ok(!text.includes(TOKEN));
    assert.doesNotMatch(readProcess(folder, 'environ'), /INPUT_|GITHUB_/);
    await job.post(main);
  });

  test('holds under 60 MiB', async t => {
    await using job = await openJob();
    const main = await job.main();
    const folder = await until(() => processIn(directoryOf(main)));
    await until(() => (job.agent.requests.length >= 20 ? true : undefined));
    const peak = Number(/VmHWM:\s*(\d+) kB/.exec(readProcess(folder, 'status'))?.[1]);
    t.diagnostic(`${Math.round(peak / 1024)} MiB at most`);
    assert.ok(peak < MAX_MEMORY_KB, `${peak} kB`);
    await job.post(main);
  });

  test('ends when the job is gone', async () => {
    await using job = await openJob();
    const directory = startInJobThatDies(job.temp, job.agent.url);
    await until(() => (processIn(directory) === undefined ? true : undefined));
    assert.equal(readRecord(directory).end?.what, 'its job is gone');
  });
});

/** Starts a monitor from a process that then ends, and returns the monitor's directory. */
function startInJobThatDies(temp: string, url: string): string {
  const inputs = { 'sandbox-id': 'sandbox1', token: TOKEN, 'base-url': url, interval: '1h' };
  const step = { action: MONITOR, workspace: temp, temp, inputs };
  const script = `
    const { runStep } = await import(${JSON.stringify(path.join(MONITOR, '../local-runner/step.ts'))});
    console.log((await runStep(${JSON.stringify(step)})).state.directory);
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}
