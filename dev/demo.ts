import { randomUUID } from 'node:crypto';
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from './agent/service.ts';
import { runStep, type Step, type StepEnd } from './runner/step.ts';

// Runs the steps of a job with the built actions against a stand-in for E2B: creates a sandbox,
// uploads a project, tests it there, downloads the results, and deletes the sandbox.

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
await writeFile(path.join(workspace, 'package.json'), '{ "type": "module" }\n');

const sandbox = { 'api-url': service.url, 'api-key': API_KEY, template: 'base' };
const created = await show('sandbox', sandbox);
await show('upload', { files: '**', target: 'app' });
const test = { 'working-directory': 'app', run: TEST, 'fail-if': 'mem_used_pct > 95' };
const tested = await show('run', test);
await show('download', { files: 'app/results.txt' });
await show('sandbox', sandbox, { state: created.state });

title('The outputs of run');
for (const [name, value] of Object.entries(tested.outputs))
  console.log(`${name}: ${value.length > 160 ? `${value.slice(0, 160)} …` : value}`);
console.log('\nThe command ran on this machine, and CPU, memory and disk are its own.');

async function show(
  action: string,
  inputs: Step['inputs'],
  post?: NonNullable<Step['post']>,
): Promise<StepEnd> {
  title(post === undefined ? action : `${action}, at the end of the job`);
  for (const [name, value] of Object.entries(post === undefined ? inputs : {}))
    console.log(`${name}: ${name === 'api-key' ? '***' : value.replaceAll('\n', '\n  ')}`);
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
