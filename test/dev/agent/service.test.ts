import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startControlPlane } from '../../../dev/agent/control-plane.ts';
import { WITHOUT_SIGNALS } from '../../system.ts';

const START = path.resolve(import.meta.dirname, '../../../dev/start.js');

/** Asks a service, such as `POST /sandboxes`. */
async function ask(url: string, asked: string, body?: object, headers = {}) {
  const [method = '', place] = asked.split(' ');
  const answer = await fetch(`${url}${place}`, {
    method,
    headers: {
      'X-API-Key': 'key',
      ...(body && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = await answer.text();
  return { status: answer.status, ...(json === '' ? {} : JSON.parse(json)) };
}

const routing = (id: string, token: string) => ({
  Accept: 'application/json',
  'E2b-Sandbox-Id': id,
  'E2b-Sandbox-Port': '49983',
  'X-Access-Token': token,
});

test('the stand-in creates sandboxes with roots of their own, connects to and deletes them, and rejects other requests', async () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/plane-`);
  await using plane = await startControlPlane({ apiKey: 'key', folder: folder.path });
  const create = () =>
    ask(plane.url, 'POST /sandboxes', { templateID: 'base', timeout: 60, secure: true });
  const [one, two] = [await create(), await create()];
  const base = { templateID: 'base' };
  for (const body of [{}, [], { ...base, timeout: '60' }])
    assert.equal((await ask(plane.url, 'POST /sandboxes', body)).status, 400, JSON.stringify(body));
  assert.equal((await ask(plane.url, 'POST /sandboxes', base, { 'X-API-Key': 'no' })).status, 401);
  for (const asked of ['GET /sandboxes', 'PUT /sandboxes/x', 'POST /sandboxes/x', 'POST /other'])
    assert.equal((await ask(plane.url, asked)).status, 404, asked);
  const stats = (id: string, token: string) =>
    ask(plane.url, 'GET /metrics', undefined, routing(id, token));
  assert.equal((await stats(one.sandboxID, one.envdAccessToken)).status, 200);
  assert.equal((await stats(one.sandboxID, two.envdAccessToken)).status, 401);
  const connect = `POST /sandboxes/${two.sandboxID}/connect`;
  const { envdAccessToken } = await ask(plane.url, connect, { timeout: 60 });
  assert.equal(envdAccessToken, two.envdAccessToken);
  const third = await ask(plane.url, 'POST /v2/sandboxes', { templateID: 'base' });
  assert.equal((await stats(third.sandboxID, third.envdAccessToken)).status, 200);
  assert.equal((await ask(plane.url, `DELETE /sandboxes/${third.sandboxID}`)).status, 204);
  for (const status of [204, 404])
    assert.equal((await ask(plane.url, `DELETE /sandboxes/${one.sandboxID}`)).status, status);
  assert.equal((await stats(one.sandboxID, one.envdAccessToken)).status, 502);
  assert.deepEqual(plane.running(), [two.sandboxID]);
  for (const { root } of plane.created) assert.ok(existsSync(root));
});

test('npm run agent serves a sandbox and the API', { skip: WITHOUT_SIGNALS }, async t => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'local-agent-'));
  const options = ['--root', folder.path, '--header-prefix', 'E2b', '--run-commands'];
  const child = spawn(process.execPath, [START, 'agent/main', ...options, '--api-key', 'key']);
  t.after(() => child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
  const said: Record<string, string> = {};
  for await (const line of createInterface(child.stdout)) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? assert.fail(line);
    said[name] = value;
    if (name === 'root') break;
  }
  const url = said['base-url'] ?? '';
  assert.deepEqual([said['api-url'], said['api-key'], said['sandbox-id']], [url, 'key', 'local']);
  assert.match(said['run-commands'] ?? '', /no jail/);
  const own = routing('local', said['token'] ?? '');
  assert.equal((await ask(url, 'GET /metrics', undefined, own)).status, 200);
  const none = { process: { pid: 4e9 } };
  const signalled = await ask(url, 'POST /process.Process/SendSignal', none, own);
  assert.match(signalled.message, /process with pid 4000000000 not found/);
  assert.equal((await ask(url, 'POST /sandboxes', { templateID: 'base' })).status, 201);
  child.kill('SIGTERM');
  const [[code], stderr] = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});
