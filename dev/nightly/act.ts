import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startService } from '../agent/service.ts';

// Runs workflows in act, an independent implementation of GitHub's runner.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const API_KEY = 'the-key-of-the-account';
const TOKEN = 'the-token-of-the-sandboxes';
const REPOSITORY = 'me/project';
const SANDBOX = 'long-lived';
const OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'of-another-team': { 'github-repository': 'other/project', purpose: 'preview' },
  [SANDBOX]: { 'github-repository': REPOSITORY, purpose: 'production' },
};
/** Fits every gate of the examples, whatever this machine has. */
const FIGURES = {
  ts: 1,
  cpu_count: 4,
  cpu_used_pct: 5,
  mem_total: 4e9,
  mem_used: 1e9,
  disk_total: 2e10,
  disk_used: 1e9,
};

// Commands in a sandbox have the PATH of a login.
const NODE = spawnSync('/bin/bash', ['-lc', 'node --version'], { encoding: 'utf8' }).stdout.trim();

/**
 * Has a project whose tests need a program from a dependency, with a peaks.json as after a run that
 * saw no figures, and programs that stand in for others.
 */
const FIXTURE = path.join(import.meta.dirname, 'fixture');
const SET_UP = [
  'tar -czf check.tgz check',
  'npm install --package-lock-only --offline',
  'git init -q -b main',
  `git remote add origin https://github.com/${REPOSITORY}`,
  'git add .',
  'git -c user.name=n -c user.email=e commit -qm site',
];

const IS_LARGE = /[\\/](node_modules|\.git)$/;

const skip = spawnSync('act', ['--version']).status !== 0 && 'act is not installed';

test('the job self-run of ci.yml passes in act', { skip }, async () => {
  const job = ['--workflows=.github/workflows/ci.yml', '--job=self-run'];
  assert.equal(await runAct(PROJECT, ['push', ...job, '--matrix=os:ubuntu-latest']), 0);
});

test('the job hosted of nightly.yml passes in act, without a key and with one', {
  skip,
}, async () => {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-act-'));
  const options = { apiKey: API_KEY, folder: temp.path, runCommands: true };
  await using service = await startService(options);
  const job = ['--workflows=.github/workflows/nightly.yml', '--job=hosted'];
  const args = ['workflow_dispatch', ...job, `--var=E2B_API_URL=${service.url}`];
  assert.equal(await runAct(PROJECT, args), 0);
  assert.deepEqual(service.requests, []);
  assert.equal(await runAct(PROJECT, [...args, `--secret=E2B_API_KEY=${API_KEY}`]), 0);
  assert.equal(service.created.length, 1);
  assert.deepEqual(service.running(), []);
});

for (const file of globSync('examples/*.yml', { cwd: PROJECT }).toSorted())
  test(`an example passes in act and leaves no sandbox of its own [${path.basename(file)}]`, {
    skip,
  }, async () => {
    await using job = await openExample(file);
    for (const [event, action] of eventsOf(job.example))
      assert.equal(await job.run(event, action), 0);
    assert.deepEqual(job.service.running(), Object.keys(OTHERS));
    const used = job.service.created.at(-1)?.root ?? '';
    if (/ app$/m.test(job.example))
      assert.ok(existsSync(path.join(used, 'home/user/app/index.html')));
  });

test('clean-machine.yml opens an issue if the release cannot be installed', { skip }, async () => {
  await using job = await openExample('examples/clean-machine.yml');
  await writeFile(job.place('install.sh'), 'exit 1');
  assert.equal(await job.run('schedule'), 1);
  assert.match(await readFile(job.place('bin/gh.log'), 'utf8'), /^issue create /m);
});

function eventsOf(example: string): readonly (readonly [event: string, action?: string])[] {
  // The second run restores what the first one has saved.
  if (example.includes('actions/cache')) return [['push'], ['push']];
  if (/^(on: |  )push\b/m.test(example)) return [['push']];
  if (!/^  pull_request:/m.test(example)) return [['workflow_dispatch']];
  const opened = ['pull_request', 'opened'] as const;
  return [opened, ['pull_request', 'closed'], opened, ['schedule']];
}

/** Starts the services that an example needs, and prepares a project with it as the workflow. */
async function openExample(file: string) {
  const temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-act-'));
  const place = (name: string) => path.join(temp.path, name);
  const folder = place('sandboxes');
  const service = await startService({
    apiKey: API_KEY,
    folder,
    runCommands: true,
    metrics: () => FIGURES,
    // Here, the host does not tell which prefix an example needs.
    headerPrefixes: ['E2b', 'Svc'],
  });
  for (const [id, metadata] of Object.entries(OTHERS))
    service.create(id, TOKEN, undefined, { metadata });
  const example = await readFile(path.join(PROJECT, file), 'utf8');
  await cp(FIXTURE, temp.path, { recursive: true });
  const workflow = adapt(example, service.url, place('install.sh'));
  await writeFile(place('project/workflow.yml'), workflow);
  for (const command of SET_UP)
    assert.equal(spawnSync(command, { shell: true, cwd: place('project') }).status, 0, command);
  // Leave out large folders, since act copies the action for each step.
  await cp(PROJECT, place('action'), { recursive: true, filter: name => !IS_LARGE.test(name) });
  const args = [
    '--workflows=workflow.yml',
    `--local-repository=sandbox-sync/sandbox-sync@v1=${place('action')}`,
    `--secret=E2B_API_KEY=${API_KEY}`,
    `--secret=SANDBOX_TOKEN=${TOKEN}`,
    `--var=SANDBOX_ID=${SANDBOX}`,
    `--eventpath=${place('event.json')}`,
    // An old cache would list files of a sandbox that is gone.
    `--cache-server-path=${place('caches')}`,
  ];
  return {
    example,
    service,
    place,
    /** Runs the workflow and returns the exit code of act. */
    async run(event: string, action?: string): Promise<number> {
      await writeFile(place('event.json'), JSON.stringify(payloadOf(action)));
      return await runAct(place('project'), [event, ...args], place('bin'));
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

/** Replaces what an example has from E2B, or from its reader, by what is here. */
function adapt(example: string, url: string, installer: string): string {
  return (
    example
      .replaceAll(/https:\/\/(api|sandbox)\.e2b\.app/g, url)
      // A port of a sandbox is a port of this machine.
      .replaceAll(/https:\/\/(\d+)-\S+ \S+ \}\}\.\S+ \S+ \}\}/g, 'http://127.0.0.1:$1')
      .replaceAll('https://example.com/install.sh', `file://${installer}`)
      .replaceAll(/v\d+\.\d+\.\d+/g, NODE)
  );
}

function payloadOf(action?: string) {
  const repository = { full_name: REPOSITORY };
  if (action === undefined) return { repository };
  const head = { ref: 'change', repo: repository };
  return { action, number: 7, repository, pull_request: { head, base: { ref: 'main' } } };
}

/** Returns the exit code. */
async function runAct(cwd: string, args: readonly string[], bin = ''): Promise<number> {
  const hosted = ['--platform=ubuntu-latest=-self-hosted', '--cache-server-addr=127.0.0.1'];
  const folders = [bin, path.dirname(process.execPath), process.env['PATH']];
  const act = spawn('act', [...args, ...hosted], {
    cwd,
    env: { ...process.env, PATH: folders.filter(Boolean).join(path.delimiter) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(act, 'exit');
  return Number(code ?? -1);
}
