import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { WITHOUT_SIGNALS } from '../system.ts';
import { HEADERS, SANDBOX_ID, TOKEN } from './harness.ts';

const MAIN = path.resolve(import.meta.dirname, '../../dev/agent/main.ts');
const COMPLETE = ['--root', tmpdir(), '--token', TOKEN, '--sandbox-id', SANDBOX_ID];

function start(args: readonly string[], token = '') {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, LOCAL_AGENT_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Its output when it is ready. */
async function said(child: ReturnType<typeof start>): Promise<string> {
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk);
}

/** Its output and exit code after its end. */
async function endOf(child: ReturnType<typeof start>): Promise<unknown[]> {
  const exit = once(child, 'close').then(([code]) => code);
  return await Promise.all([exit, text(child.stdout), text(child.stderr)]);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the agent prints how to reach it, serves as it was told to, and at ${signal} says which faults never matched`, {
    skip: WITHOUT_SIGNALS,
  }, async t => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'local-agent-main-'));
    const faults = path.join(folder.path, 'faults.json');
    const unmatched = '{"on":"upload","path":"/a","do":{"kind":"drop"}}';
    const matched = '{"on":"stats","times":1,"do":{"kind":"status","status":503}}';
    writeFileSync(faults, `[${matched},${unmatched}]`);
    const options = ['--header-prefix', 'E2b', '--port', '80', '--faults', faults];
    const child = start(['--root', folder.path, '--sandbox-id', SANDBOX_ID, ...options], TOKEN);
    t.after(() => child.kill('SIGKILL'));
    const known = /^base-url: (\S+)\nsandbox-id: sandbox1\ntoken: a-token\n/;
    const [, url] = known.exec(await said(child)) ?? [];
    const headers = {
      'X-Access-Token': TOKEN,
      'E2b-Sandbox-Id': SANDBOX_ID,
      'E2b-Sandbox-Port': '80',
    };
    const statuses = [];
    for (const sent of [headers, headers, HEADERS])
      statuses.push((await fetch(`${url}/metrics`, { headers: sent })).status);
    assert.deepEqual(statuses, [503, 200, 400]);
    child.kill(signal);
    const message = `No request matched this fault: ${unmatched}\n`;
    assert.deepEqual(await endOf(child), [0, '', message]);
  });
}

test('without options, the agent makes up an id, a token and a place for the files', {
  skip: WITHOUT_SIGNALS,
}, async t => {
  const child = start([]);
  t.after(() => child.kill('SIGKILL'));
  const values = [...(await said(child)).matchAll(/^[\w-]+: (.+)$/gm)].map(([, value]) => value);
  const [url, id = '', token = '', root = ''] = values;
  t.after(() => rmSync(root, { recursive: true }));
  const headers = { 'X-Access-Token': token, 'Svc-Sandbox-Id': id, 'Svc-Sandbox-Port': '49983' };
  const body = new FormData();
  body.append('file', new Blob(['text']));
  const answer = await fetch(`${url}/files?path=/a`, { method: 'POST', headers, body });
  assert.equal(answer.status, 200);
  assert.equal(readFileSync(path.join(root, 'a'), 'utf8'), 'text');
});

test('a port that is taken ends with 1 and one line', async t => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  const message = `Port ${address.port} is taken. Leave --listen-port out to get a free one.\n`;
  const child = start([...COMPLETE, '--listen-port', String(address.port)]);
  assert.deepEqual(await endOf(child), [1, '', message]);
});

const WRONG: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
  'an empty token': [['--token', ''], /^--token is empty/],
  'an unknown option': [[...COMPLETE, '--prot', '1'], /--prot/],
  'a port too high': [[...COMPLETE, '--listen-port', '65536'], /^--listen-port .*"65536"/],
  'no such fault file': [[...COMPLETE, '--faults', '/nowhere.json'], /nowhere\.json/],
};
for (const [name, [args, message]] of Object.entries(WRONG)) {
  test(`${name} ends with 2 and a message`, async () => {
    const [code, stdout, stderr] = await endOf(start(args));
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(String(stderr), message);
  });
}
