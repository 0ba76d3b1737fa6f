import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execute } from '../runner/execute.ts';
import { playE2bHosts } from './e2b-hosts.ts';

// Runs workflows in act, an independent implementation of GitHub's runner.

const PROJECT = path.resolve(import.meta.dirname, '../..');
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

/**
 * Runs the job self-run of ci.yml, the quick start and the examples, all word for word. Returns the
 * problems; none if act is missing.
 */
export async function runInAct(): Promise<string[]> {
  if (spawnSync('act', ['--version']).status !== 0) {
    console.log('act is not installed, so the self-run and the examples are left out.');
    return [];
  }
  const problems = await runAct('self-run', PROJECT, 'push', {
    '--workflows': '.github/workflows/ci.yml',
    '--job': 'self-run',
    '--matrix': 'os:ubuntu-latest',
  });
  const readme = await readFile(path.join(PROJECT, 'README.md'), 'utf8');
  const [, quickStart = ''] = /^## Quick start\n.*?^```yaml\n(.*?)^```$/ms.exec(readme) ?? [];
  problems.push(...(await runWorkflow('the quick start', quickStart)));
  for (const file of globSync('examples/*.yml', { cwd: PROJECT }).toSorted())
    problems.push(...(await runWorkflow(file, await readFile(path.join(PROJECT, file), 'utf8'))));
  return problems;
}

/** Runs a workflow in a minimal project, against a stand-in for E2B. */
export async function runWorkflow(title: string, workflow: string): Promise<string[]> {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-act-'));
  const project = path.join(temp.path, 'project');
  const action = path.join(temp.path, 'action');
  await using hosts = await playE2bHosts(temp.path);
  const { service, apiKey, env } = hosts;
  service.create(SANDBOX);
  await writeProject(project, workflow);
  const bin = path.join(temp.path, 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'gh'), GH, { mode: 0o755 });
  // Leave out large folders, since act copies the action for each step.
  await cp(PROJECT, action, { recursive: true, filter: file => !IS_LARGE.test(file) });
  const options = {
    '--workflows': 'workflow.yml',
    '--local-repository': `sandbox-sync/sandbox-sync@v1=${action}`,
    '--secret': `E2B_API_KEY=${apiKey}`,
    '--var': `SANDBOX_ID=${SANDBOX}`,
    '--eventpath': path.join(temp.path, 'event.json'),
    // An old cache would list files of a sandbox that is gone.
    '--cache-server-path': path.join(temp.path, 'caches'),
  };
  const problems: string[] = [];
  for (const { event, action } of eventsOf(workflow)) {
    await writeFile(options['--eventpath'], JSON.stringify(eventWith(action)));
    problems.push(...(await runAct(title, project, event, options, { env, bin })));
  }
  const used = service.created.at(-1);
  const page = path.join(used?.root ?? '', 'home/user/app/index.html');
  if ((await readFile(page, 'utf8').catch(() => undefined)) !== PAGE)
    problems.push(`${title}: the page is not in the sandbox`);
  if (service.running().join() !== SANDBOX)
    problems.push(`${title}: these sandboxes run: ${service.running().join(', ')}`);
  return problems;
}

/** Returns the events to run a workflow for, one after the other. */
function eventsOf(workflow: string): readonly { event: string; action: string }[] {
  if (!/^ {4}types: \[opened, .*closed\]$/m.test(workflow)) return [{ event: 'push', action: '' }];
  return ['opened', 'closed'].map(action => ({ event: 'pull_request', action }));
}

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
  for (const args of [
    'init -q -b main',
    `remote add origin https://github.com/${REPOSITORY}`,
    'add .',
    '-c user.name=n -c user.email=e commit -qm site',
  ])
    spawnSync('git', args.split(' '), { cwd: folder });
}

type Variables = Readonly<Record<string, string>>;

async function runAct(
  title: string,
  cwd: string,
  event: string,
  options: Variables,
  { env = {}, bin = '' }: { readonly env?: Variables; readonly bin?: string } = {},
): Promise<string[]> {
  console.log(`\n── ${title} in act`);
  const hosted = { '--platform': 'ubuntu-latest=-self-hosted', '--cache-server-addr': '127.0.0.1' };
  const forSteps = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const folders = [bin, path.dirname(process.execPath), process.env['PATH']];
  const { exitCode, stderr } = await execute({
    file: 'act',
    args: [event, ...Object.entries({ ...hosted, ...options }).flat(), ...forSteps],
    cwd,
    env: { ...process.env, PATH: folders.filter(Boolean).join(path.delimiter) },
    onLine: line => console.log(line),
  });
  console.log(stderr);
  return exitCode === 0 ? [] : [`${title} in act: ended with ${exitCode}`];
}
