import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../agent/service.ts';
import { execute } from '../runner/execute.ts';

// Runs workflows in act, an independent implementation of GitHub's runner.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const API_KEY = 'key-of-the-account';
const SANDBOX = 'long-lived';
const PAGE = '<!doctype html>\n';
const SCRIPTS = {
  build: 'mkdir dist && cp index.html dist',
  test: 'echo "<testsuites/>" > junit.xml',
};

// Examples that act cannot run, since they need E2B's CLI or a pull request on GitHub.
const NOT_FOR_ACT = /npx --yes|gh pr/;

const E2B_URL = /https:\/\/(api|\{port\}-\{sandbox-id\})\.e2b\.app/g;

const IS_LARGE = /[\\/](node_modules|\.git)$/;

/**
 * Runs the job self-run of ci.yml and the examples. Returns the problems; none if act is missing.
 */
export async function runInAct(): Promise<string[]> {
  if (spawnSync('act', ['--version']).status !== 0) {
    console.log('act is not installed, so the self-run and the examples are left out.');
    return [];
  }
  const problems = await runAct('self-run', PROJECT, {
    '--workflows': '.github/workflows/ci.yml',
    '--job': 'self-run',
    '--matrix': 'os:ubuntu-latest',
  });
  for (const file of globSync('examples/*.yml', { cwd: PROJECT }))
    if (!NOT_FOR_ACT.test(await readFile(path.join(PROJECT, file), 'utf8')))
      problems.push(...(await runExample(file)));
  return problems;
}

/** Runs an example in a minimal project, against a stand-in for E2B. */
async function runExample(file: string): Promise<string[]> {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-act-'));
  const project = path.join(temp.path, 'project');
  const action = path.join(temp.path, 'action');
  const folder = path.join(temp.path, 'sandboxes');
  await using service = await startService({ apiKey: API_KEY, folder, runCommands: true });
  service.create(SANDBOX);
  const workflow = await readFile(path.join(PROJECT, file), 'utf8');
  await writeProject(project, workflow.replaceAll(E2B_URL, service.url));
  // Leave out large folders, since act copies the action for each step.
  await cp(PROJECT, action, { recursive: true, filter: file => !IS_LARGE.test(file) });
  const problems = await runAct(file, project, {
    '--workflows': 'workflow.yml',
    '--local-repository': `sandbox-sync/sandbox-sync@v1=${action}`,
    '--secret': `E2B_API_KEY=${API_KEY}`,
    '--var': `SANDBOX_ID=${SANDBOX}`,
    // An old cache would list files of a sandbox that is gone.
    '--cache-server-path': path.join(temp.path, 'caches'),
  });
  const used = service.created.at(-1);
  const page = path.join(used?.root ?? '', 'home/user/app/index.html');
  if ((await readFile(page, 'utf8').catch(() => undefined)) !== PAGE)
    problems.push(`${file}: the page is not in the sandbox`);
  if (service.running().join() !== SANDBOX)
    problems.push(`${file}: these sandboxes run: ${service.running().join(', ')}`);
  return problems;
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
  for (const args of ['init -q -b main', 'add .', '-c user.name=n -c user.email=e commit -qm site'])
    spawnSync('git', args.split(' '), { cwd: folder });
}

type Options = Readonly<Record<string, string>>;

async function runAct(title: string, cwd: string, options: Options): Promise<string[]> {
  console.log(`\n── ${title} in act`);
  const hosted = { '--platform': 'ubuntu-latest=-self-hosted', '--cache-server-addr': '127.0.0.1' };
  const PATH = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const { exitCode, stderr } = await execute({
    file: 'act',
    args: ['push', ...Object.entries({ ...hosted, ...options }).flat()],
    cwd,
    env: { ...process.env, PATH },
    onLine: line => console.log(line),
  });
  console.log(stderr);
  return exitCode === 0 ? [] : [`${title} in act: ended with ${exitCode}`];
}
