import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openClient } from '../../dev/conform/client.ts';
import { download, sendFiles } from '../../dev/conform/files.ts';
import { kill, start } from '../../dev/conform/run-checks.ts';
import { pollUntil } from '../support/running-monitor.ts';
import { canBeNamed, SKIP_WITHOUT_SIGNALS, skipOnWindows } from '../support/system.ts';
import { openJob, SANDBOX_ID, TOKEN } from '../support/test-job.ts';

// These tests only cover what `npm run conform` and the actions do not use. conform.test.ts and
// test/e2e cover the rest.

const START = path.resolve(import.meta.dirname, '../../dev/start.js');

/** Starts a stand-in with one sandbox, and opens a client of `npm run conform` for it. */
async function openSandbox() {
  const job = await openJob({ runCommands: true });
  const client = openClient({
    baseUrl: job.agent.url,
    token: TOKEN,
    sandboxId: SANDBOX_ID,
    headerPrefix: 'Svc',
    username: undefined,
    uploadPath: '/files',
    statsPath: '/metrics',
    headers: {},
  });
  return { ...job, client };
}

test('the stand-in resolves paths as envd does, inside the root', async () => {
  await using sandbox = await openSandbox();
  const answers = {
    '/a/./c': '/a/./c',
    'a/../b/./c/': '/home/user/b/c',
    '../../c': '/c',
    '~/d': '/home/user/d',
    '/../e': '/../e',
    '/it\'s 50%, #1 ä"文🙂': '/it\'s 50%, #1 ä"文🙂',
  };
  for (const [given, stored] of Object.entries(answers).filter(([name]) => canBeNamed(name))) {
    const uploaded = { target: given, content: Buffer.from(given) };
    const answer = await sendFiles(sandbox.client, [uploaded]);
    assert.equal(JSON.parse(answer.text)[0].path, stored);
    const file = path.join(sandbox.root, path.posix.resolve('/', stored));
    assert.equal(readFileSync(file, 'utf8'), given);
    assert.equal(String((await download(sandbox.client, given.replace(/\/$/, ''))).body), given);
  }
  const beside = readdirSync(path.dirname(sandbox.root)).toSorted();
  assert.deepEqual(beside, ['outside', SANDBOX_ID, 'temp', 'work']);
});

test('the stand-in kills the process alone, and waits for no child that holds its output', {
  skip: skipOnWindows('there is no /bin/sh'),
}, async t => {
  await using sandbox = await openSandbox();
  const { client } = sandbox;
  const pidFile = path.join(sandbox.root, 'home/user/child');
  const { end } = await start(client, 'sleep 60 & echo $! >child; wait', {
    async onStart(pid) {
      await pollUntil(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
      await kill(client, pid);
      return undefined;
    },
  });
  const child = Number(readFileSync(pidFile, 'utf8'));
  t.after(() => process.kill(child));
  assert.deepEqual(end, ENDS['kill -9 $$']);
  assert.ok(process.kill(child, 0));
});

// As E2B's hosted service answered to its SDK 2.52.0 (see api.test.ts).
const ENDS: Readonly<Record<string, object>> = {
  true: { exited: true, status: 'exit status 0' },
  'exit 7': { exitCode: 7, exited: true, status: 'exit status 7', error: 'exit status 7' },
  'kill -9 $$': { exitCode: -1, status: 'signal: killed', error: 'signal: killed' },
};

test('the stand-in ends a command with the fields of envd', {
  skip: skipOnWindows('there is no /bin/bash'),
}, async () => {
  await using sandbox = await openSandbox();
  for (const [script, expected] of Object.entries(ENDS)) {
    const { end, last } = await start(sandbox.client, script);
    assert.deepEqual([end, last], [expected, {}]);
  }
});

test('npm run agent serves a sandbox and the API', { skip: SKIP_WITHOUT_SIGNALS }, async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stand-in-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const args = ['agent/main', '--root', folder, '--run-commands', '--api'];
  const child = spawn(process.execPath, [START, ...args]);
  t.after(() => child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
  const said: Record<string, string> = {};
  for await (const line of createInterface(child.stdout)) {
    const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? assert.fail(line);
    said[name] = value;
    if (name === 'root') break;
  }
  const url = said['base-url'] ?? '';
  assert.deepEqual([said['api-url'], said['sandbox-id']], [url, 'local']);
  const connect = { method: 'POST', headers: { 'X-API-Key': said['api-key'] ?? '' } };
  const answer = await fetch(`${url}/sandboxes/local/connect`, connect);
  assert.partialDeepStrictEqual(await answer.json(), { envdAccessToken: said['token'] });
  child.kill('SIGTERM');
  const [[code], stderr] = await ended;
  assert.deepEqual([code, stderr], [0, '']);
});
