import assert from 'node:assert/strict';
import { mkdtempDisposableSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { listenHere, startService } from '../../dev/agent/service.ts';
import { execute } from '../../dev/runner/execute.ts';
import { WINDOWS } from '../support/system.ts';

const START = path.resolve(import.meta.dirname, '../../dev/start.js');
const TOKEN = 'the-access-token';

interface Report {
  readonly checks: readonly { readonly feature: string; name: string; verdict: string }[];
  readonly works: readonly string[];
  readonly inputs: Readonly<Record<string, string>>;
  readonly left: readonly string[];
}

function conform(...given: readonly string[]) {
  const args = [START, 'conform', ...given];
  return execute({ file: process.execPath, args, cwd: '.', env: process.env });
}

async function tryService(baseUrl: string, ...args: readonly string[]) {
  const common = ['--base-url', baseUrl, '--token', TOKEN, '--sandbox-id', 'box', '--json'];
  const { exitCode, stdout, stderr } = await conform(...common, ...args);
  assert.equal(stderr, '');
  assert.ok(!stdout.includes(TOKEN));
  const report: Report = JSON.parse(stdout);
  return { exitCode, report };
}

/** Returns a feature's verdicts other than `yes`, by the name of the check. */
function exceptions({ checks }: Report, feature: string): Record<string, string> {
  const own = checks.filter(check => check.feature === feature);
  assert.ok(own.length > 3, feature);
  return Object.fromEntries(
    own.filter(({ verdict }) => verdict !== 'yes').map(({ name, verdict }) => [name, verdict]),
  );
}

const WORKS = ['upload', 'stats', 'download', ...(WINDOWS ? [] : ['run'])];

test('conform finds the header-prefix of the stand-in, and that all its operations work', async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'conform-'));
  await using service = await startService({ folder: folder.path, runCommands: true });
  service.create('box', TOKEN);
  const { exitCode, report } = await tryService(service.url);
  const oddNames = WINDOWS ? { 'odd names': 'no' } : {};
  for (const feature of WORKS)
    assert.deepEqual(exceptions(report, feature), feature === 'upload' ? oddNames : {}, feature);
  assert.equal(exitCode, 0);
  assert.deepEqual(report.works, WORKS);
  assert.deepEqual(report.inputs, { 'header-prefix': 'E2b' });
});

test('conform reports what does not work with a service that gives every request the same answer', async t => {
  const figures = { mem_total: 24_105, mem_used: 100, cpu_used_pct: 250, disk_total: 0 };
  const json = JSON.stringify({ ...figures, said: TOKEN });
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('Connection', 'close').end(json));
  });
  t.after(() => server.close());
  const url = `http://127.0.0.1:${await listenHere(server)}`;
  const { exitCode, report } = await tryService(url, '--header-prefix', 'E2b');
  assert.equal(exitCode, 1);
  const verdicts = new Set(Object.values(exceptions(report, 'upload')));
  assert.deepEqual(verdicts, new Set(['no', 'differs']));
  assert.deepEqual(exceptions(report, 'stats'), {
    ts: 'no',
    cpu_count: 'no',
    cpu_used_pct: 'differs',
    mem_total: 'differs',
    disk_total: 'no',
    disk_used: 'no',
  });
  assert.equal(exceptions(report, 'download')['large file'], 'no');
  assert.equal(exceptions(report, 'run')['exit code 0'], 'no');
  assert.deepEqual(report.works, ['stats']);
  assert.equal(report.inputs['files-per-request'], '1');
  assert.equal(report.left.length, 2);
});

test('conform exits with 2 for bad arguments, with 1 if nothing answers', async () => {
  for (const args of [[], ['--base-url', 'x'], ['--base-url', 'http://x'], ['--other']]) {
    const { exitCode, stderr } = await conform(...args);
    assert.equal(exitCode, 2);
    assert.match(stderr, /Usage: npm run conform/);
  }
  const url = 'http://127.0.0.1:1';
  const { exitCode, stderr } = await conform('--base-url', url, '--token', 'x');
  assert.equal(exitCode, 1);
  assert.match(stderr, /^The service cannot be tried: .*ECONNREFUSED/);
});
