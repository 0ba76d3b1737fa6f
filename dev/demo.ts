import { randomUUID } from 'node:crypto';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from './agent/service.ts';
import { runStep, type Step, type StepEnd } from './runner/step.ts';

// Runs the steps of a job with the built actions against a stand-in for E2B: creates a sandbox, runs
// the main action on it, tests what was uploaded, downloads the results, and deletes the sandbox.

const PROJECT = path.resolve(import.meta.dirname, '..');
const API_KEY = randomUUID();
const TEST = `ls
for number in 1 2 3; do sleep 1; echo "test $number passed"; done | tee results.txt`;

await using folder = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-demo-'));
await using service = await startService({
  apiKey: API_KEY,
  folder: path.join(folder.path, 'sandboxes'),
  runCommands: true,
});
const workspace = path.join(folder.path, 'workspace');
await mkdir(path.join(workspace, 'src'), { recursive: true });
await writeFile(path.join(workspace, 'src/index.js'), 'export const answer = 42;\n');
await writeFile(path.join(workspace, 'src/index.js.map'), '{}\n');
await writeFile(path.join(workspace, 'package.json'), '{ "type": "module" }\n');

const sandbox = { 'api-url': service.url, 'api-key': API_KEY, template: 'base' };
const created = await show('sandbox', sandbox);
const gate = 'mem_used_pct > 95\ndisk_free < 100MB';
const files = 'src/**\npackage.json\n!**/*.map';
const synced = await show('.', { files, target: 'app', 'fail-if': gate });
await show('run', { 'working-directory': 'app', run: TEST });
await show('download', { files: 'app/results.txt' });
await show('sandbox', sandbox, { state: created.state });

title('The outputs of the main action');
for (const [name, value] of Object.entries(synced.outputs))
  console.log(`${name}: ${value.length > 160 ? `${value.slice(0, 160)} …` : value}`);
console.log('\nThe command ran on this machine, and CPU, memory and disk are its own.');

async function show(
  action: string,
  inputs: Step['inputs'],
  post?: NonNullable<Step['post']>,
): Promise<StepEnd> {
  const name = action === '.' ? 'The main action' : action;
  title(post === undefined ? name : `${name}, at the end of the job`);
  for (const [input, value] of Object.entries(post === undefined ? inputs : {}))
    console.log(`${input}: ${input === 'api-key' ? '***' : value.replaceAll('\n', '\n  ')}`);
  const step = { action: path.join(PROJECT, action), inputs, post, workspace, temp: folder.path };
  const end = await runStep({ ...step, onLine: printLine });
  process.stderr.write(end.stderr);
  if (end.exitCode !== 0) process.exitCode = 1;
  return end;
}

function title(text: string): void {
  console.log(`\n── ${text}\n`);
}

/** Prints a log line as GitHub does: expands groups, and hides other workflow commands. */
function printLine(line: string): void {
  const [, command = '', data = ''] = /^::([\w-]+)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
  const text = data.replaceAll('%0A', '\n').replaceAll('%25', '%');
  if (command === '') console.log(line);
  if (command === 'group') console.log(`▾ ${text}`);
  if (['error', 'warning', 'notice'].includes(command)) console.log(`${command}: ${text}`);
}
