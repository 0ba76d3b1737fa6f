import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import type { StepEnd } from '../../dev/runner/step.ts';
import { domainOf } from '../../src/sandbox/sandbox.ts';
import { listenHere } from '../listening.ts';
import { filesBelow, WINDOWS } from '../system.ts';
import { API_KEY, annotations, type Inputs, openService, shownBy } from './service.ts';

const METRICS = { mem_total: 2 ** 33, mem_used: 2 ** 31 };

test('later steps use the sandbox of the job, and show its token nowhere', async () => {
  await using service = await openService({ agents: { metrics: () => METRICS } });
  const { plane, temp, workspace, use } = service;
  mkdirSync(path.join(workspace, 'dist'));
  writeFileSync(path.join(workspace, 'dist/a.txt'), 'a');
  const ends: StepEnd[] = [];
  async function run(folder: string, inputs: Inputs, post?: StepEnd) {
    const end = await use(folder, inputs, { env: { RUNNER_DEBUG: '1' }, ...(post && { post }) });
    assert.equal(end.exitCode, 0, end.stdout);
    ends.push(end);
    return end;
  }
  const creating = { 'api-url': plane.url, 'api-key': API_KEY, delete: 'false' };
  const gate = { 'fail-if': 'mem_used_pct > 90' };
  const { outputs, ...main } = await run('sandbox', creating);
  const monitor = await run('monitor', { ...gate, 'sample-interval': '1h' });
  await run('', { ...gate, files: 'dist', target: 'app' });
  await run('upload', { files: 'dist', target: 'again' });
  const [sandbox] = plane.created;
  assert.ok(sandbox);
  const { id, token, root, agent } = sandbox;
  agent.addFaults({ on: 'stats', times: 1, do: { kind: 'status', status: 503, body: token } });
  const { stdout: retried } = await run('stats', gate);
  assert.match(retried, /answered 503 .* It said: "\*\*\*"/);
  await run('monitor', {}, monitor);

  const stored = ['home/user/again/a.txt', 'home/user/app/a.txt'];
  assert.deepEqual(Object.keys(filesBelow(root)).sort(), stored);

  const isHandover = (file: string) => file.startsWith('sandbox-sync-sandbox-');
  const files = Object.entries(filesBelow(temp));
  const [[file, left] = ['none', ''], ...others] = files.filter(([name]) => isHandover(name));
  assert.deepEqual(others, []);
  assert.ok(left.includes(token) && !left.includes(API_KEY));
  if (!WINDOWS) assert.equal(statSync(path.join(temp, file)).mode & 0o777, 0o600);

  const { token: output, ...rest } = outputs;
  assert.equal(output, token);
  const written = files.filter(([name]) => !isHandover(name)).map(([, bytes]) => String(bytes));
  const shown = [{ ...main, outputs: rest }, ...ends.slice(1)].map(shownBy);
  for (const text of [...written, ...shown])
    for (const secret of [token, API_KEY]) assert.ok(!text.includes(secret), text);
  for (const { stdout, env } of ends) {
    assert.match(stdout, RegExp(`^::add-mask::${token}$`, 'm'));
    assert.deepEqual(env, {});
  }

  await run('sandbox', creating, { ...main, outputs });
  assert.deepEqual(Object.keys(filesBelow(temp)).filter(isHandover), []);
  assert.deepEqual(plane.running(), [id]);
});

test('sandbox-id names the sandbox, unless the step has a connection of its own', async () => {
  await using service = await openService();
  const { plane, run, use } = service;
  const [first, second] = [await run(), await run()];
  const [one, two] = plane.created;
  assert.ok(one && two);

  /** Reads the stats. Returns which sandbox answered, or the error. */
  async function measure(inputs: Inputs): Promise<string> {
    const counts = plane.created.map(({ agent }) => agent.requests.length);
    const end = await use('stats', inputs);
    const asked = plane.created.filter(({ agent }, at) => agent.requests.length !== counts[at]);
    return end.exitCode === 0 ? asked.map(({ id }) => id).join() : annotations(end, 'error');
  }

  const either = `"(${one.id}|${two.id})"`;
  const list = `this job has ${either}, ${either}`;
  const own = { 'base-url': plane.url, 'header-prefix': 'E2b' };
  assert.match(await measure({}), RegExp(`^sandbox-id: is empty, and ${list}\\. Say which`, 'm'));
  const unknown = RegExp(`^sandbox-id: "other" is not a sandbox of this job; ${list}`, 'm');
  assert.match(await measure({ 'sandbox-id': 'other' }), unknown);
  assert.equal(await measure({ 'sandbox-id': two.id }), two.id);
  assert.equal(await measure({ 'sandbox-id': one.id, token: one.token, ...own }), one.id);
  assert.match(
    await measure({ 'sandbox-id': one.id, token: one.token }),
    /^base-url: is required/m,
  );
  assert.match(await measure({ 'sandbox-id': one.id, ...own }), /^token: is empty or null/m);
  await run({}, { post: second });
  assert.equal(await measure({}), one.id);
  await run({}, { post: first });
  const none = await measure({});
  assert.match(none, /^sandbox-id: no earlier step of this job has left a sandbox\. Use /m);
});

test('the domain is that of the answer, or else that of the API', () => {
  const rows = [
    ['x.io', 'https://api.e2b.app', 'x.io'],
    [undefined, 'https://api.mine.e2b.dev/v1', 'mine.e2b.dev'],
    [undefined, 'https://sandboxes.example.com', undefined],
  ] as const;
  for (const [domain, apiUrl, known] of rows) assert.equal(domainOf({ domain }, apiUrl), known);
});

test('each sandbox has a host name', { skip: !hasOpenssl && 'needs openssl' }, async () => {
  using keys = makeKeys('DNS:*.e2b.app');
  await using service = await openService({ tls: keys, domain: null });
  const hosts: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    hosts.push(url);
    const tunnel = connect(Number(new URL(service.plane.url).port), '127.0.0.1');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(tunnel).pipe(socket);
    for (const side of [socket, tunnel]) side.on('error', () => tunnel.destroy());
  });
  const HTTPS_PROXY = `http://127.0.0.1:${await listenHere(proxy)}`;
  const env = { HTTPS_PROXY, NODE_EXTRA_CA_CERTS: keys.certFile };
  try {
    const main = await service.run({ 'api-url': 'https://api.e2b.app' }, { env });
    const stats = await service.use('stats', {}, { env });
    assert.equal(stats.exitCode, 0, main.stdout + stats.stdout);
    const host = `49983-${service.plane.created[0]?.id}.e2b.app`;
    assert.equal(main.outputs['base-url'], `https://${host}`);
    assert.deepEqual([...new Set(hosts)], ['api.e2b.app:443', `${host}:443`]);
  } finally {
    proxy.close();
  }
});
