import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { cpus, totalmem } from 'node:os';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { form, HEADERS, openSandbox, SANDBOX_ID, type Sandbox, TOKEN } from './harness.ts';

const REFUSED = [
  { name: 'a wrong token', headers: { 'X-Access-Token': 'other' }, status: 401 },
  { name: 'an empty token', headers: { 'X-Access-Token': '' }, status: 401 },
  { name: 'no sandbox id', headers: { 'Svc-Sandbox-Id': '' }, status: 400 },
  { name: 'no sandbox port', headers: { 'Svc-Sandbox-Port': '' }, status: 400 },
  { name: 'a wrong sandbox id', headers: { 'Svc-Sandbox-Id': 'other' }, status: 502 },
  { name: 'a wrong sandbox port', headers: { 'Svc-Sandbox-Port': '80' }, status: 502 },
];

for (const { name, headers, status } of REFUSED) {
  test(`${name} is answered ${status} by both operations`, async () => {
    await using sandbox = await openSandbox();
    const stats = await fetch(`${sandbox.agent.url}/metrics`, {
      headers: { ...HEADERS, ...headers },
    });
    const upload = await sandbox.put('/a', 'text', headers);
    assert.deepEqual([stats.status, upload.status], [status, status]);
    await assert.rejects(sandbox.read('/a'), { code: 'ENOENT' });
  });
}

test('the agent answers errors in JSON, and the proxy before it in HTML unless JSON is accepted', async () => {
  await using sandbox = await openSandbox();
  const errorOf = async (headers: Record<string, string>) =>
    await (await sandbox.put('/a', '', headers)).json();
  assert.deepEqual(await errorOf({ 'X-Access-Token': 'other', Accept: '*/*' }), {
    code: 401,
    message: 'access token present in header but does not match',
  });
  assert.deepEqual(await errorOf({ 'Svc-Sandbox-Id': 'other' }), {
    sandboxId: 'other',
    message: 'The sandbox was not found',
    code: 502,
  });
  assert.deepEqual(await errorOf({ 'Svc-Sandbox-Port': '1' }), {
    sandboxId: SANDBOX_ID,
    message: 'The sandbox is running but port is not open',
    code: 502,
  });
  const html = await sandbox.put('/a', '', { 'Svc-Sandbox-Id': 'other', Accept: '*/*' });
  assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(await html.text(), /<h1>502<\/h1>/);
});

test('other paths are answered 404, other methods 405', async () => {
  await using sandbox = await openSandbox();
  const answers = { 'PUT /files': 405, 'POST /metrics': 405, 'GET /metrics/': 404, 'GET /': 404 };
  for (const [asked, status] of Object.entries(answers)) {
    const [method = '', path] = asked.split(' ');
    const answer = await fetch(`${sandbox.agent.url}${path}`, { method, headers: HEADERS });
    assert.equal(answer.status, status, asked);
  }
});

test('a signature takes the place of the token for its path, user and time alone', async () => {
  await using sandbox = await openSandbox();
  const { 'X-Access-Token': _, ...headers } = HEADERS;
  const sign = (...parts: string[]) =>
    `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replace(/=+$/, '')}`;
  const post = (query: object) =>
    fetch(`${sandbox.agent.url}/files?${new URLSearchParams({ ...query }).toString()}`, {
      method: 'POST',
      headers,
      body: form(['x']),
    });
  const soon = String(Math.ceil(Date.now() / 1000) + 60);
  const cases = [
    { status: 200, path: '/a', signature: sign('/a', 'write', '', TOKEN) },
    { status: 200, path: 'a', username: 'user', signature: sign('a', 'write', 'user', TOKEN) },
    {
      status: 200,
      path: '/a',
      signature_expiration: soon,
      signature: sign('/a', 'write', '', TOKEN, soon),
    },
    {
      status: 401,
      path: '/a',
      signature_expiration: '1',
      signature: sign('/a', 'write', '', TOKEN, '1'),
    },
    { status: 401, path: '/b', signature: sign('/a', 'write', '', TOKEN) },
    { status: 401, path: '/a', signature: sign('/a', 'read', '', TOKEN) },
    { status: 401, path: '/a' },
  ];
  for (const { status, ...query } of cases)
    assert.equal((await post(query)).status, status, JSON.stringify(query));
});

test('a stored file can be read back', async () => {
  await using sandbox = await openSandbox();
  await sandbox.put('a', 'text');
  const read = (path: string) =>
    fetch(`${sandbox.agent.url}/files?path=${path}`, { headers: HEADERS });
  assert.equal(await (await read('/home/user/a')).text(), 'text');
  assert.deepEqual([(await read('b')).status, (await read('/home')).status], [404, 400]);
});

test('header prefix, port and paths are options', async () => {
  const paths = { uploadPath: '/x/files', statsPath: '/x/metrics' };
  await using sandbox = await openSandbox({ headerPrefix: 'E2b', sandboxPort: 1234, ...paths });
  const { 'X-Access-Token': token } = HEADERS;
  const headers = {
    'X-Access-Token': token,
    'e2b-sandbox-id': SANDBOX_ID,
    'e2b-sandbox-port': '1234',
  };
  assert.equal((await fetch(`${sandbox.agent.url}/x/metrics`, { headers })).status, 200);
  assert.equal((await sandbox.stats()).status, 400);
});

test('a refused upload leaves the connection usable', async () => {
  await using sandbox = await openSandbox();
  const big = 'x'.repeat(300_000);
  assert.equal((await sandbox.put('/a', big, { 'X-Access-Token': 'other' })).status, 401);
  assert.equal((await sandbox.put('/a', big)).status, 200);
});

test('uploads in flight are counted, and requests recorded unless that is off', async () => {
  await using sandbox = await openSandbox();
  await Promise.all(['/a', '/b', '/c'].map(path => sandbox.put(path, 'x')));
  assert.equal(sandbox.agent.requests.length, 3);
  assert.ok(sandbox.agent.maxInFlight >= 1 && sandbox.agent.maxInFlight <= 3);
  await using silent = await openSandbox({ record: false });
  await silent.put('/a', 'x');
  assert.deepEqual([silent.agent.requests, silent.agent.maxInFlight], [[], 1]);
});

const skip = !hasOpenssl && 'needs openssl';
test('with keys the agent speaks HTTPS, and can reset that too', { skip }, async () => {
  using tls = makeKeys();
  const reset = { on: 'stats', skip: 1, do: { kind: 'reset', at: 'before-body' } } as const;
  await using sandbox = await openSandbox({ tls, faults: [reset] });
  const options = { ca: tls.cert, headers: HEADERS, agent: false };
  const get = () => request(`${sandbox.agent.url}/metrics`, options).end();
  const [response] = await once(get(), 'response');
  assert.match(await text(response), /"cpu_count"/);
  await assert.rejects(once(get(), 'response'), { code: 'ECONNRESET' });
  assert.equal(sandbox.agent.connections(), 2);
});

async function figuresOf(sandbox: Sandbox): Promise<Record<string, number>> {
  return JSON.parse(await (await sandbox.stats()).text());
}

test('the figures are those of this machine', async () => {
  await using sandbox = await openSandbox();
  const figures = await figuresOf(sandbox);
  const { ts = 0, mem_total = 0, mem_used = 0, disk_used = 0, disk_total = 0 } = figures;
  assert.ok(Math.abs(ts - Date.now() / 1000) < 60);
  assert.equal(figures['cpu_count'], cpus().length);
  assert.ok(Math.abs(mem_total - totalmem()) <= totalmem() / 100);
  assert.ok(mem_used > 0 && mem_used < mem_total);
  assert.equal(figures['mem_total_mib'], Math.floor(mem_total / 1024 ** 2));
  assert.equal(figures['mem_used_mib'], Math.floor(mem_used / 1024 ** 2));
  assert.ok(disk_used > 0 && disk_used <= disk_total);
  for (const [name, value] of Object.entries(figures))
    assert.ok(name === 'cpu_used_pct' || Number.isSafeInteger(value), name);
});

test('the CPU window runs from one reading to the next', async () => {
  await using sandbox = await openSandbox();
  await sandbox.stats();
  for (const until = performance.now() + 300; performance.now() < until; );
  const { cpu_used_pct: used = 0 } = await figuresOf(sandbox);
  assert.ok(used > 50 / cpus().length && used <= 100, `${used} % after 300 ms of work on one CPU`);
});

test('a test can put its own figures in their place', async () => {
  const answers: (object | string)[] = [{ cpu_count: 2 }, '{"mem_total": 9007199254740993}'];
  await using sandbox = await openSandbox({ metrics: () => answers.shift() ?? {} });
  assert.equal(await (await sandbox.stats()).text(), '{"cpu_count":2}');
  assert.equal(await (await sandbox.stats()).text(), '{"mem_total": 9007199254740993}');
});
