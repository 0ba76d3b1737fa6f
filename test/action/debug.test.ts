import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'node:test';
import { runStep } from '../../local-runner/step.ts';
import { MONITOR, openJob } from '../monitor/monitoring.ts';
import {
  type Inputs,
  manyFiles,
  openFaulty,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
  TOKEN,
} from './harness.ts';
import { hasOpenssl, makeKeys, openProxy } from './proxy.ts';
import { runWellWith, STATE } from './state.ts';

const ON = { env: { RUNNER_DEBUG: '1' } };

const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

/** The lines of the debug log as the runner shows them. */
function debugLines({ stdout }: { readonly stdout: string }): string[] {
  return stdout
    .split('\n')
    .filter(line => line.startsWith('::debug::'))
    .map(line => line.slice('::debug::'.length).replaceAll('%25', '%'));
}

/** Asserts that for each pattern there is a line of the debug log that it matches whole. */
function assertHas(result: { readonly stdout: string }, ...patterns: readonly (RegExp | string)[]): void {
  const lines = debugLines(result);
  for (const pattern of patterns) {
    const isThere =
      typeof pattern === 'string' ? lines.includes(pattern) : lines.some(line => pattern.test(line));
    assert.ok(isThere, `${pattern} is not in\n${lines.join('\n')}`);
  }
}

function count(result: Result, pattern: RegExp): number {
  return debugLines(result).filter(line => pattern.test(line)).length;
}

suite('the debug log', { concurrency: 2 }, () => {
  test('says where the step runs, what it was given, found, planned, sent and wrote', async () => {
    await using world = await openWorld({ files: { 'dist/a.txt': 'text', 'dist/b.map': 'map' } });
    const files = 'dist/** => /srv/app\n!**/*.map\nnothing/*';
    const inputs = { files, 'if-no-files-found': 'warn', headers: 'X-Build: 42', timeout: '30s' };
    const result = await runWell(world, inputs, ON);
    assert.match(result.lines[0] ?? '', /^::add-mask::/);
    assertHas(
      result,
      new RegExp(`^Version: sandbox-sync/\\S+ on Node\\.js ${process.version}, ${process.platform} .*`),
      /^Runner: \d+ CPUs?, \S+ [GMT]iB of memory, /,
      'Proxy: none',
      'NO_PROXY: not set',
      'NODE_EXTRA_CA_CERTS: not set',
      'Input token: set',
      'Input signature: empty',
      'Input files: "dist/**" => "/srv/app"',
      'Input files: except "**/*.map"',
      'Input headers, with those of every request: X-Build, X-Access-Token, Svc-Sandbox-Id, Svc-Sandbox-Port',
      'Input timeout: 30 s',
      'Input concurrency: auto',
      /^Pattern "dist\/\*\*": searched from .*dist, 1 file, 0 left out$/,
      /^Pattern "nothing\/\*": searched from .*nothing, 0 files, 0 left out$/,
      /^Search: took \d+ ms$/,
      'Plan: 1 file; 1 file, 4 bytes to send; 0 unchanged, 0 of other shards, 0 left out',
      'Connection: opened, IPv4, no TLS',
      /^POST \/files\?path=%2Fsrv%2Fapp%2Fa\.txt → 200 in \d+ ms, 2\d\d bytes sent$/,
      /^GET \/metrics → 200 in \d+ ms$/,
      /^Reading: ts \d+, cpu_count 4, cpu_used_pct 12\.5 %, mem_total 8 GiB, /,
      /^Outputs, with their lengths in characters: report \d+, uploaded-count 1, /,
      `Report: ${result.outputs['report']}`,
      `Summary: ${Buffer.byteLength(result.summary).toLocaleString('en')} bytes`,
      /^Took \S+ m?s and \S+ MiB of memory at most$/,
    );
  });

  test('says what the pattern leaves out for its name', async () => {
    await using world = await openWorld({ files: { 'd/.env': 'x' } });
    const result = await runWell(world, { files: 'd/*', 'if-no-files-found': 'ignore' }, ON);
    assertHas(result, /^Pattern "d\/\*": .*, 0 files, 0 left out, 1 hidden$/);
  });

  test('says what the state file and the shard leave to be done', async () => {
    await using world = await openWorld({ files: manyFiles(5) });
    await runWellWith(world);
    world.write({ 'f0.txt': 'changed' });
    const result = await runWellWith(world, {}, ON);
    assertHas(result, `State file ${path.join(world.workspace, STATE)}: 5 entries read, 4 files unchanged`);
    assertHas(result, 'Plan: 5 files; 1 file, 7 bytes to send; 4 unchanged, 0 of other shards, 0 left out');
    const shard = await runWell(world, { files: 'f*', shard: '1/2' }, ON);
    assertHas(shard, 'Input shard: 1 of 2', /^Plan: 3 files; 3 files, .* 2 of other shards/);
  });

  test('says what each shared request held, and what was refused', async () => {
    const inputs = { 'files-per-request': '5', concurrency: '1' };
    await using world = await openWorld({ files: manyFiles(5) });
    const good = await runWell(world, inputs, ON);
    assertHas(
      good,
      'Shared request: 2 files, 18 bytes; 2 stored, 0 not sent',
      'Shared request: 3 files, 27 bytes; 3 stored, 0 not sent',
    );
    world.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'answer', body: '[]' } });
    const bad = await runWell(world, inputs, ON);
    assert.match(bad.stdout, /The agent did not store all of 2 files sent with one request/);
  });

  test('says why a request failed, how the level changed, and that the next one was fine', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 503, body: '{"message":"not now"}' },
      { times: 1 },
    );
    const result = await runWell(world, {}, ON);
    assertHas(
      result,
      /^POST \/files\?path=a\.txt → 503 in \d+ ms, \d+ bytes sent: server\. .* The agent said: "not now"\.$/,
      'Uploads at once: 4 → 2, a sign of overload, status 503',
      /^POST \/files\?path=a\.txt → 200 in /,
    );
  });

  test('says why there was no answer', async () => {
    await using world = await openWorld();
    await world.agent.close();
    const result = await runBadly(world, { retries: '0' }, ON);
    assertHas(
      result,
      /^POST \/files\?path=a\.txt → no answer in \d+ ms, 0 bytes sent: unreachable\. .*ECONNREFUSED/,
      /^- because of Error ECONNREFUSED: connect ECONNREFUSED /,
    );
  });

  test('says that a token was refused', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { token: 'another' }, ON);
    assertHas(result, /^POST \S+ → 401 in \d+ ms, \d+ bytes sent: unauthorized\. /);
  });

  test('names the variable of a proxy and not its value', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy({ agent: world.agent.url });
    const variables = { http_proxy: `http://user:p%40ss-word@${proxy.address}`, NO_PROXY: 'example.com' };
    const result = await runWell(world, BY_PROXY, { env: { ...ON.env, ...variables } });
    assertHas(result, 'Proxy: from http_proxy', 'NO_PROXY: set');
    assert.doesNotMatch(debugLines(result).join('\n'), /user:|p@ss|p%40ss|127\.0\.0\.1|example\.com/);
    const HTTP_PROXY = 'socks5://user:p%40ss-word@host:1080';
    const other = await runBadly(world, { ...BY_PROXY, retries: '0' }, { env: { ...ON.env, HTTP_PROXY } });
    assertHas(other, 'Proxy: from HTTP_PROXY, which holds no URL of a proxy');
  });

  test('says that a connection is encrypted', { skip: !hasOpenssl && 'needs openssl' }, async () => {
    using keys = makeKeys();
    await using world = await openWorld({ tls: keys });
    const result = await runWell(world, {}, { env: { ...ON.env, NODE_EXTRA_CA_CERTS: keys.certFile } });
    assertHas(result, 'NODE_EXTRA_CA_CERTS: set', 'Connection: opened, IPv4, TLSv1.3');
  });

  test('is there for the stats and for inputs that are wrong', async () => {
    await using world = await openWorld();
    const inputs = { samples: '2', 'sample-interval': '200ms', 'wait-until': 'cpu_used_pct < 20' };
    const stats = await runWell(world, inputs, { task: 'stats', ...ON });
    assertHas(stats, 'Input wait-until: cpu_used_pct < 20', 'Input sample-interval: 200 ms');
    assert.equal(count(stats, /^GET \/metrics → 200/), 4);
    assert.equal(count(stats, /^Reading: /), 4);
    const wrong = await runBadly(world, { port: 'x' }, { task: 'upload', ...ON });
    assertHas(wrong, /^Version: /, /^Took /);
  });

  test('is there for both steps of a monitor', async () => {
    await using job = await openJob();
    const inputs = { 'sandbox-id': 'sandbox1', token: TOKEN, 'base-url': job.agent.url, interval: '1h' };
    const step = { action: MONITOR, workspace: job.temp, temp: job.temp, inputs, ...ON };
    const main = await runStep(step);
    assertHas(main, 'Input interval: 1 h', 'Input token: set', /^Monitor: records into /, /^Took /);
    const post = await runStep({ ...step, post: { state: main.state } });
    assertHas(post, /^Version: /, 'Monitor: 2 samples, 0 failed readings', /^Summary: \d/);
    assertHas(post, /^Monitor: ended at \S+Z: the job asked for it$/);
  });

  test('of a large run stays short', async () => {
    await using world = await openWorld({ files: manyFiles(1500) });
    const result = await runWell(world, {}, ON);
    assert.equal(count(result, /^POST /), 200);
    assertHas(result, /^Not shown: 1,301 further requests$/);
  });

  test('of a large run that fails has a thousand failures', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 400 },
      { skip: 300 },
      { files: manyFiles(1500) },
    );
    const result = await runBadly(world, {}, ON);
    assert.equal(count(result, /^POST .* → 200/), 200);
    assert.equal(count(result, /^POST .* → 400/), 1000);
    assertHas(result, 'Not shown: 200 further failed requests');
  });
});

suite('without step debugging', { concurrency: 2 }, () => {
  const runs: Readonly<Record<string, Inputs>> = {
    'a success': {},
    'a plan': { 'dry-run': 'true' },
    'a refused token': { token: 'another' },
    'wrong inputs': { port: 'x' },
  };
  for (const [name, inputs] of Object.entries(runs)) {
    test(`the log of ${name} is the same, less the debug log`, async () => {
      await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
      const plain = await runAction(world, { concurrency: '1', ...inputs });
      const debug = await runAction(world, { concurrency: '1', ...inputs }, ON);
      assert.deepEqual(debugLines(plain), []);
      const others = debug.lines.filter(line => !line.startsWith('::debug::'));
      assert.equal(untimed(plain.stdout), untimed(others.join('\n')));
      assert.notEqual(debugLines(debug).length, 0);
    });
  }
});

function untimed(text: string): string {
  return text.replace(/\b[\d.]+ m?s\b/g, 'some time');
}
