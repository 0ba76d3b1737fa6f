import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAgent } from '../../dev/agent/agent.ts';
import { listenHere } from '../listening.ts';
import { WINDOWS } from '../system.ts';

const START = path.resolve(import.meta.dirname, '../../dev/start.js');
const TOKEN = 'the-access-token';

interface Report {
  readonly checks: readonly { readonly feature: string; name: string; verdict: string }[];
  readonly works: readonly string[];
  readonly fails: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly left: readonly string[];
}

async function conform(...args: readonly string[]) {
  const child = spawn(process.execPath, [START, 'conform', ...args]);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

async function tryService(baseUrl: string, ...args: readonly string[]) {
  const common = ['--base-url', baseUrl, '--token', TOKEN, '--sandbox-id', 'box', '--json'];
  const { code, stdout, stderr } = await conform(...common, ...args);
  assert.equal(stderr, '');
  assert.ok(!stdout.includes(TOKEN));
  const report: Report = JSON.parse(stdout);
  return { code, report };
}

/** The checks of a feature that do not say `yes`, with what they say. */
function exceptions({ checks }: Report, feature: string): Record<string, string> {
  const own = checks.filter(check => check.feature === feature);
  assert.ok(own.length > 4, feature);
  return Object.fromEntries(
    own.filter(({ verdict }) => verdict !== 'yes').map(({ name, verdict }) => [name, verdict]),
  );
}

/** What the stand-in does otherwise than the checks expect, by feature. */
const EXCEPTIONS = {
  upload: {
    'upload that breaks off': 'differs',
    ...(WINDOWS && { 'odd names': 'no' }),
  },
  stats: {},
  download: {},
  ...(!WINDOWS && { run: {} }),
};
const WORKS = ['upload', 'stats', 'download', ...(WINDOWS ? [] : ['run'])];

test('conform finds the header-prefix of the stand-in, and that all its operations work', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'conform-'));
  const options = {
    root: folder.path,
    token: TOKEN,
    sandboxId: 'box',
    headerPrefix: 'E2b',
    runCommands: true,
  };
  await using agent = await startAgent(options);
  const { code, report } = await tryService(agent.url);
  for (const [feature, expected] of Object.entries(EXCEPTIONS))
    assert.deepEqual(exceptions(report, feature), expected, feature);
  assert.equal(code, 0);
  assert.deepEqual(report.works, WORKS);
  assert.deepEqual(report.inputs, { 'header-prefix': 'E2b' });
});

function frameOf(event: object): Buffer {
  const json = Buffer.from(JSON.stringify({ event }));
  return Buffer.concat([Buffer.from([0, 0, 0, 0, json.length]), json]);
}

/** Serves every operation a little wrong. */
async function serveWrongly(
  files: Map<string, Buffer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request).catch(() => Buffer.alloc(0));
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const target = searchParams.get('path');
  const answer = (status: number, content: string | Buffer = '') => {
    response.statusCode = status;
    response.setHeader('Connection', 'close').end(content);
  };
  if (pathname === '/metrics')
    return answer(200, '{"mem_total":24105,"mem_used":100,"cpu_used_pct":250,"disk_total":0}');
  // An end without `exited`, and a stream without its last message.
  if (pathname === '/process.Process/Start')
    return answer(200, Buffer.concat([{ start: { pid: 1 } }, { end: {} }].map(frameOf)));
  if (pathname === '/process.Process/Connect') return answer(500, TOKEN);
  if (pathname !== '/files') return answer(200);
  if (target === null) return answer(400, `${TOKEN}: path is missing`);
  const stored = files.get(target);
  if (request.method === 'GET') return answer(stored ? 200 : 500, stored);
  const content = body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf('\r\n--'));
  files.set(target, content.subarray(0, 65_536));
  const name = path.posix.basename(target.replaceAll('%41', 'A'));
  return answer(200, JSON.stringify({ path: target, name, type: 'file' }));
}

test('conform says what a wrong service does wrong, and fails', async t => {
  const files = new Map<string, Buffer>();
  const server = createServer((...exchange) => void serveWrongly(files, ...exchange));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${await listenHere(server)}`;
  const { code, report } = await tryService(url, '--header-prefix', 'E2b');
  assert.equal(code, 1);
  assert.deepEqual(exceptions(report, 'upload'), {
    '64 KiB, 256 KiB and 1 MiB ± 1': 'no',
    '64 MiB': 'no',
    'pause within a body': 'no',
    'odd names': 'no',
    'batch of 250 files': 'no',
    'odd names in a batch': 'no',
    'connections are kept alive': 'differs',
    'wrong token is rejected': 'no',
    'wrong sandbox ID is rejected': 'differs',
    'unknown user is rejected': 'no',
    'target that is a folder': 'no',
    'target below a file': 'no',
    'route that does not exist': 'no',
    'upload that breaks off': 'no',
  });
  assert.deepEqual(exceptions(report, 'stats'), {
    ts: 'no',
    cpu_count: 'no',
    cpu_used_pct: 'differs',
    mem_total: 'differs',
    mem_total_mib: 'no',
    disk_total: 'no',
    disk_used: 'no',
    'wrong token is rejected': 'no',
  });
  assert.deepEqual(exceptions(report, 'download'), {
    'large file': 'no',
    'missing file': 'differs',
    folder: 'differs',
    'wrong token is rejected': 'no',
  });
  assert.equal(exceptions(report, 'run')['exit code 0'], 'no');
  assert.deepEqual(report.works, ['stats']);
  assert.deepEqual(report.inputs, { 'header-prefix': 'E2b', 'files-per-request': '1' });
  assert.equal(report.left.length, 2);
});

test('conform exits with 2 for bad arguments, with 1 if nothing answers', async () => {
  for (const args of [[], ['--base-url', 'x'], ['--base-url', 'http://x'], ['--other']]) {
    const { code, stderr } = await conform(...args);
    assert.equal(code, 2);
    assert.match(stderr, /Usage: npm run conform/);
  }
  const server = createServer();
  const port = await listenHere(server);
  server.close();
  const { code, stderr } = await conform('--base-url', `http://127.0.0.1:${port}`, '--token', 'x');
  assert.deepEqual([code, /^The service cannot be tried: .*ECONNREFUSED/.test(stderr)], [1, true]);
});
