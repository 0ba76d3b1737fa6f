import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { form, HEADERS, SANDBOX_ID, TOKEN } from './harness.ts';

const MAIN = fileURLToPath(new URL('../../local-agent/main.ts', import.meta.url));

const COMPLETE = ['--root', tmpdir(), '--token', TOKEN, '--sandbox-id', SANDBOX_ID];

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'local-agent-main-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function exitOf(child: ChildProcess): Promise<unknown[]> {
  return child.exitCode === null ? await once(child, 'exit') : [child.exitCode, child.signalCode];
}

const skip = process.platform === 'win32' && 'a signal sent by a process ends another at once there';

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`one line says that it is ready; ${signal} stops it cleanly`, { skip }, async t => {
    const directory = await temporaryDirectory(t);
    const root = join(directory, 'root');
    const child = start(['--root', root, '--sandbox-id', SANDBOX_ID], { LOCAL_AGENT_TOKEN: TOKEN });
    t.after(() => child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const { url, pid } = JSON.parse(String(line));
    assert.equal(pid, child.pid);
    const init = { method: 'POST', headers: HEADERS, body: form(['x']) };
    assert.equal((await fetch(`${url}/files?path=/a`, init)).status, 200);
    assert.equal(await readFile(join(root, 'a'), 'utf8'), 'x');
    child.kill(signal);
    const rest = await Promise.all([exitOf(child), text(child.stdout), text(child.stderr)]);
    assert.deepEqual(rest, [[0, null], '', '']);
  });
}

test('faults come from a file', async t => {
  const directory = await temporaryDirectory(t);
  const faults = join(directory, 'faults.json');
  await writeFile(faults, '[{"on":"stats","times":1,"do":{"kind":"status","status":503}}]');
  const child = start([
    '--root',
    directory,
    '--token',
    TOKEN,
    '--sandbox-id',
    SANDBOX_ID,
    '--faults',
    faults,
  ]);
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line));
  assert.equal((await fetch(`${url}/metrics`, { headers: HEADERS })).status, 503);
  assert.equal((await fetch(`${url}/metrics`, { headers: HEADERS })).status, 200);
});

test('the prefix of the routing headers can be another', async t => {
  const root = await temporaryDirectory(t);
  const child = start([...COMPLETE, '--root', root, '--header-prefix', 'E2b']);
  t.after(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line));
  const headers = { 'X-Access-Token': TOKEN, 'E2b-Sandbox-Id': SANDBOX_ID, 'E2b-Sandbox-Port': '49983' };
  assert.equal((await fetch(`${url}/metrics`, { headers })).status, 200);
  assert.equal((await fetch(`${url}/metrics`, { headers: HEADERS })).status, 400);
});

test('a port that is taken ends with 1 and one line', async t => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  const child = start([...COMPLETE, '--listen-port', String(address.port)]);
  const [exit, stdout, stderr] = await Promise.all([exitOf(child), text(child.stdout), text(child.stderr)]);
  assert.deepEqual([exit, stdout], [[1, null], '']);
  assert.equal(stderr, `Port ${address.port} is taken. Leave --listen-port out to get a free one.\n`);
});

const WRONG = [
  { name: 'no root', args: ['--token', 't', '--sandbox-id', 's'], message: /^--root is missing/ },
  { name: 'no token', args: ['--root', '.', '--sandbox-id', 's'], message: /^--token is missing/ },
  { name: 'an unknown option', args: [...COMPLETE, '--prot', '1'], message: /--prot/ },
  {
    name: 'an empty prefix',
    args: [...COMPLETE, '--header-prefix', ''],
    message: /^--header-prefix is missing/,
  },
  {
    name: 'a port too high',
    args: [...COMPLETE, '--listen-port', '65536'],
    message: /^--listen-port .*"65536"/,
  },
  { name: 'no such fault file', args: [...COMPLETE, '--faults', '/nowhere.json'], message: /nowhere\.json/ },
];
for (const { name, args, message } of WRONG) {
  test(`${name} ends with 2 and a message`, async () => {
    const child = start(args, { LOCAL_AGENT_TOKEN: '' });
    const [exit, stdout, stderr] = await Promise.all([exitOf(child), text(child.stdout), text(child.stderr)]);
    assert.deepEqual([exit, stdout], [[2, null], '']);
    assert.match(stderr, message);
  });
}
