import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { filesIn, readRecord, requestStop, samplerPid } from '../../src/monitor/record.ts';
import {
  folderOf,
  openWorld,
  runAction,
  runBadly,
  SANDBOX_ID,
  TOKEN,
  type World,
} from '../e2e/harness.ts';
import { unlessLinux, WITHOUT_SIGNALS } from '../system.ts';
import { isRunning, signalAtEnd, startMonitor, until } from './monitoring.ts';

const GATED = { 'fail-if': 'mem_used_pct > 90' };

/** The monitors' directories of a job. */
function monitorsIn({ temp }: World): string[] {
  return readdirSync(temp).filter(name => name.startsWith('sandbox-sync-monitor-'));
}

describe('a monitor', { concurrency: 2 }, () => {
  test('has a first and a last sample, and leaves nothing behind', async () => {
    await using monitor = await startMonitor(GATED);
    monitor.use(20);
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.stderr, post.outputs['gate']], [0, '', 'passed']);
    const { samples } = JSON.parse(post.reportText);
    const used = samples.map((one: { figures: object }) => Object.entries(one.figures));
    assert.equal(used.length, 2);
    assert.deepEqual(
      used.map((figures: [string, number][]) => new Map(figures).get('mem_used_pct')),
      [10, 20],
    );
    assert.equal(JSON.parse(post.outputs['stats'] ?? '').mem_used, 8_589_934_592 / 5);
    assert.deepEqual(post.annotations('warning'), []);
    assert.deepEqual(monitorsIn(monitor.world), []);
    await until(() => !isRunning(monitor.pid));
  });

  test('sees a peak between its start and its end, and the gate fails', async () => {
    await using monitor = await startMonitor({ ...GATED, 'sample-interval': '200ms' });
    monitor.use(95);
    const peak = monitor.world.agent.requests.length + 2;
    await until(() => monitor.world.agent.requests.length >= peak);
    monitor.use(20);
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
    const { mem_used_pct } = JSON.parse(post.outputs['aggregates'] ?? '');
    assert.deepEqual([mem_used_pct.min, mem_used_pct.max, mem_used_pct.last], [10, 95, 20]);
    assert.match(post.annotations('error').join(), /95 %/);
  });

  test('judges what its start asked for, if its end has inputs of an outer action', async () => {
    await using monitor = await startMonitor({ ...GATED, summary: 'false' });
    monitor.use(95);
    const outer = { 'fail-if': '', 'sandbox-id': 'other', token: 'none', summary: 'true' };
    const post = await monitor.post(outer);
    assert.deepEqual([post.outputs['gate'], post.summary], ['failed', '']);
    assert.match(post.reportText, /"sandboxId":\s*"sandbox1"/);
  });

  test('warns if the sandbox is gone at its end', async () => {
    const gone = { kind: 'status', status: 502, body: 'The sandbox was not found' } as const;
    const faults = [{ on: 'stats', skip: 1, do: gone }] as const;
    await using monitor = await startMonitor(GATED, { faults });
    const post = await monitor.post();
    assert.equal(post.exitCode, 0, post.stdout);
    assert.match(post.annotations('warning').join(), /^1 sample failed: .*sandbox was not found/i);
  });

  test('ends its last sample if the agent stalls', async () => {
    const stall = { kind: 'stall', at: 'answering' } as const;
    await using monitor = await startMonitor({}, { faults: [{ on: 'stats', skip: 1, do: stall }] });
    const post = await monitor.post();
    assert.equal(post.exitCode, 0, post.stdout);
    assert.match(post.annotations('warning').join('\n'), /^1 sample failed: GET \S+ was cancelled/);
  });

  test('that is cancelled at its end says so, and does not wait for the sandbox', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    const stall = { kind: 'stall', at: 'answering' } as const;
    await using monitor = await startMonitor({}, { faults: [{ on: 'stats', skip: 1, do: stall }] });
    const post = await monitor.post({}, signalAtEnd('SIGINT'));
    assert.deepEqual(
      [post.exitCode, post.report.cancelled, post.report.succeeded],
      [1, true, false],
    );
    assert.doesNotMatch(post.stdout, /not seen/);
    assert.equal(existsSync(monitor.directory), false);
  });

  test('that ended by itself leaves a gap, which fails the gate', async () => {
    await using monitor = await startMonitor({ ...GATED, 'max-duration': '1s' });
    await until(() => samplerPid(monitor.directory) === undefined);
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
    const says = /not seen from \S+ UTC to \S+ UTC, since the monitor had ended: max-duration/;
    assert.match(post.annotations('error').join('\n'), says);
  });

  test('that was killed leaves a gap, which fails the gate', {
    skip: WITHOUT_SIGNALS,
  }, async () => {
    await using monitor = await startMonitor(GATED);
    process.kill(monitor.pid, 'SIGKILL');
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
    const says = /was not seen from .*, since something else ended the monitor\./;
    assert.match(post.annotations('error').join('\n'), says);
  });

  test('that crashed says why', async () => {
    await using monitor = await startMonitor(GATED);
    const record = path.join(monitor.directory, 'record.jsonl');
    renameSync(record, `${record}.kept`);
    mkdirSync(record);
    requestStop(monitor.directory);
    await until(() => samplerPid(monitor.directory) === undefined);
    rmSync(record, { recursive: true });
    renameSync(`${record}.kept`, record);
    const post = await monitor.post();
    assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
    const says = /since the monitor had ended: Error: EISDIR: .*record\.jsonl/;
    assert.match(post.annotations('error').join('\n'), says);
  });

  test('whose record was removed fails', async () => {
    await using monitor = await startMonitor(GATED);
    rmSync(monitor.directory, { recursive: true });
    const post = await monitor.post();
    assert.equal(post.exitCode, 1);
    assert.match(post.annotations('error').join('\n'), /^monitor: its record is lost: /);
  });

  test('of whose record no sample is left fails without a gate too', async () => {
    const reset = { kind: 'reset', at: 'after-body' } as const;
    await using monitor = await startMonitor({}, { faults: [{ on: 'stats', skip: 1, do: reset }] });
    rmSync(filesIn(monitor.directory).record);
    const post = await monitor.post();
    assert.equal(post.exitCode, 1, post.stdout);
    assert.match(post.annotations('error').join('\n'), /^monitor: its record is lost: /);
  });

  test('ends when its job is gone', async () => {
    await using world = await openWorld();
    const directory = await startInJobThatDies(world);
    await until(() => samplerPid(directory) === undefined);
    assert.equal(readRecord(directory).end, 'its job is gone');
  });

  test('shows the token to no other process', { skip: unlessLinux('reads /proc') }, async () => {
    const headers = 'X-Api-Key: the-other-secret';
    await using monitor = await startMonitor({ headers });
    const files = readdirSync(monitor.directory).map(name => path.join(monitor.directory, name));
    const places = ['cmdline', 'environ'].map(name => `/proc/${monitor.pid}/${name}`);
    for (const place of [...files, ...places])
      assert.doesNotMatch(readFileSync(place, 'utf8'), /the-access-token-42|the-other-secret/);
    const { state } = await monitor.post();
    assert.doesNotMatch(JSON.stringify(state), /the-access-token-42|the-other-secret/);
  });
});

describe('a monitor does not start', { concurrency: 2 }, () => {
  const cases = {
    'with a wrong token': [{ token: 'a-wrong-token' }, {}, /answered 401/],
    'with invalid inputs': [{ 'sample-interval': 'soon' }, {}, /^sample-interval: "soon"/],
    'if nobody would end it': [{}, { GITHUB_STATE: undefined }, /GITHUB_STATE: is not set/],
  } as const;
  for (const [name, [inputs, env, says]] of Object.entries(cases)) {
    test(name, async () => {
      await using world = await openWorld();
      const main = await runBadly(world, { ...GATED, ...inputs }, { task: 'monitor', env });
      assert.match(main.annotations('error').join('\n'), says);
      assert.deepEqual([main.state, monitorsIn(world)], [{}, []]);
      const post = await runAction(world, {}, { task: 'monitor', post: main });
      assert.deepEqual([post.exitCode, post.stdout, post.outputs], [0, '', {}]);
    });
  }
});

/** Starts a monitor from a process that then ends. Returns the monitor's directory. */
async function startInJobThatDies({ workspace, temp, agent }: World): Promise<string> {
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
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout.trim();
}
