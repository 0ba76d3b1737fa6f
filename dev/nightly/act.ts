import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startService } from '../agent/service.ts';

// Runs workflows in act, an independent implementation of GitHub's runner.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const API_KEY = 'the-key-of-the-account';
// The hosts whose place the stand-in takes.
const E2B = /https:\/\/(api|sandbox)\.e2b\.app/g;
const SANDBOX = 'long-lived';
const PAGE = '<!doctype html>\n';
const SCRIPTS = {
  build: 'mkdir dist && cp index.html dist',
  test: 'echo "<testsuites/>" > junit.xml',
};

// Stands in for GitHub's command line, which would need a pull request on GitHub.
const GH = '#!/bin/sh\necho "gh $*"\n';

const REPOSITORY = 'me/project';

const IS_LARGE = /[\\/](node_modules|\.git)$/;

const skip = spawnSync('act', ['--version']).status !== 0 && 'act is not installed';

test('the job self-run of ci.yml passes in act', { skip }, async () => {
  const job = ['--workflows=.github/workflows/ci.yml', '--job=self-run'];
  await runAct(PROJECT, ['push', ...job, '--matrix=os:ubuntu-latest']);
});

for (const file of globSync('examples/*.yml', { cwd: PROJECT }).toSorted())
  test(`an example passes in act and leaves no sandbox of its own [${file}]`, {
    skip,
  }, async () => {
    await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-act-'));
    const place = (name: string) => path.join(temp.path, name);
    const options = { apiKey: API_KEY, folder: place('sandboxes'), runCommands: true };
    await using service = await startService(options);
    service.create(SANDBOX);
    const example = await readFile(path.join(PROJECT, file), 'utf8');
    await writeProject(place('project'), example.replaceAll(E2B, service.url));
    await mkdir(place('bin'));
    await writeFile(place('bin/gh'), GH, { mode: 0o755 });
    // Leave out large folders, since act copies the action for each step.
    await cp(PROJECT, place('action'), { recursive: true, filter: name => !IS_LARGE.test(name) });
    const args = [
      '--workflows=workflow.yml',
      `--local-repository=sandbox-sync/sandbox-sync@v1=${place('action')}`,
      `--secret=E2B_API_KEY=${API_KEY}`,
      `--var=SANDBOX_ID=${SANDBOX}`,
      `--eventpath=${place('event.json')}`,
      // An old cache would list files of a sandbox that is gone.
      `--cache-server-path=${place('caches')}`,
    ];
    const isForPullRequests = /^on:\n  pull_request:$/m.test(example);
    for (const action of isForPullRequests ? ['opened', 'closed'] : ['pushed']) {
      await writeFile(place('event.json'), JSON.stringify(eventWith(action)));
      const event = isForPullRequests ? 'pull_request' : 'push';
      await runAct(place('project'), [event, ...args], place('bin'));
    }
    const used = service.created.at(-1)?.root ?? '';
    assert.equal(await readFile(path.join(used, 'home/user/app/index.html'), 'utf8'), PAGE);
    assert.deepEqual(service.running(), [SANDBOX]);
  });

function eventWith(action: string) {
  const repository = { full_name: REPOSITORY };
  const head = { ref: 'change', repo: repository };
  return { action, number: 7, repository, pull_request: { head, base: { ref: 'main' } } };
}

async function writeProject(folder: string, workflow: string): Promise<void> {
  const own = { name: 'site', version: '1.0.0' };
  const lock = { ...own, lockfileVersion: 3, packages: { '': own } };
  const files = {
    'workflow.yml': workflow,
    'package.json': JSON.stringify({ ...own, scripts: SCRIPTS }),
    'package-lock.json': JSON.stringify(lock),
    'index.html': PAGE,
  };
  await mkdir(folder);
  for (const [name, content] of Object.entries(files))
    await writeFile(path.join(folder, name), content);
  const origin = `remote add origin https://github.com/${REPOSITORY}`;
  const commit = '-c user.name=n -c user.email=e commit -qm site';
  for (const args of ['init -q -b main', origin, 'add .', commit])
    spawnSync('git', args.split(' '), { cwd: folder });
}

async function runAct(cwd: string, args: readonly string[], bin = ''): Promise<void> {
  const hosted = ['--platform=ubuntu-latest=-self-hosted', '--cache-server-addr=127.0.0.1'];
  const folders = [bin, path.dirname(process.execPath), process.env['PATH']];
  const act = spawn('act', [...args, ...hosted], {
    cwd,
    env: { ...process.env, PATH: folders.filter(Boolean).join(path.delimiter) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  assert.deepEqual(await once(act, 'exit'), [0, null]);
}
