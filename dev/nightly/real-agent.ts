import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runStep, type Step, type StepEnd } from '../runner/step.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** Small files, which are sent in batches, and one above 256 KiB, which is streamed. */
const TREE: Readonly<Record<string, Buffer>> = {
  'index.html': Buffer.from('<!doctype html>\n'),
  empty: Buffer.alloc(0),
  'deep/er/größe 1+%41.svg': randomBytes(40_000),
  'large.bin': randomBytes(5_000_000),
  ...Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`many/${index % 7}/${index}`, randomBytes(index)]),
  ),
};

type RunAction = (
  action: string,
  inputs: Step['inputs'],
  expected: StepEnd['outputs'],
  more?: Pick<Step, 'onLine' | 'onStart'>,
) => Promise<StepEnd>;

/**
 * Runs the built actions against a real agent, such as E2B's. Returns the first problem.
 * @throws Error if a file is not carried byte for byte
 */
export async function tryActions(url: string, token: string): Promise<string[]> {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-nightly-'));
  const workspace = path.join(temp.path, 'workspace');
  for (const [name, content] of Object.entries(TREE)) {
    await mkdir(path.join(workspace, path.dirname(name)), { recursive: true });
    await writeFile(path.join(workspace, name), content);
  }
  const connection = { 'sandbox-id': 'nightly', token, 'base-url': url, 'header-prefix': 'E2b' };
  /** Asserts the outputs, and with them, how the step ended. */
  const runAction: RunAction = async (name, given, { exit, ...outputs }, more) => {
    const inputs = { ...connection, ...given };
    const place = { action: path.join(PROJECT, name), workspace, temp: temp.path };
    const end = await runStep({ ...place, inputs, ...more });
    assert.equal(String(end.exitCode), exit, end.stdout + end.stderr);
    assert.partialDeepStrictEqual(end.outputs, outputs);
    console.log(`${name}: exit code ${exit}, as expected`);
    return end;
  };
  const folder = `/tmp/nightly-${randomUUID().slice(0, 8)}`;
  try {
    await transfer(runAction, folder, workspace);
    await useCommands(runAction, folder);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

async function transfer(runAction: RunAction, folder: string, workspace: string): Promise<void> {
  const count = `${Object.keys(TREE).length}`;
  const tree = { files: '**', target: folder };
  await runAction('upload', tree, { exit: '0', 'uploaded-count': count });
  const files = Object.keys(TREE).map(name => `${folder}/${name} => back/${name}`);
  await runAction('download', { files: files.join('\n') }, { exit: '0' });
  for (const [name, content] of Object.entries(TREE))
    assert.ok(content.equals(await readFile(path.join(workspace, 'back', name))), name);
  const replaced = { files: 'large.bin => index.html', target: folder };
  const passing = { ...replaced, 'fail-if': 'mem_used_pct > 100' };
  await runAction('.', passing, { exit: '0', 'uploaded-count': '1', gate: 'passed' });
  const { outputs } = await runAction('stats', { 'fail-if': 'mem_total > 0B' }, { exit: '1' });
  for (const name of ['cpu-count', 'mem-total', 'disk-total'])
    assert.ok(Number(outputs[name]) > 0, name);
}

async function useCommands(runAction: RunAction, folder: string): Promise<void> {
  const test = 'echo "ü $A"; ls many | wc -l; cmp index.html large.bin';
  const inputs = { run: test, 'working-directory': folder, env: 'A=b' };
  const { stdout } = await runAction('run', inputs, { exit: '0', 'exit-code': '0' });
  assert.match(stdout, /^ü b\n7$/m);
  await runAction('run', { run: 'exit 3' }, { exit: '1', 'exit-code': '3' });
  const pid = await cancel(runAction);
  // Ignore zombies (state Z): a killed process stays one until the first process reaps it.
  const run = `! grep -s '^State:.[^Z]' /proc/${pid}/status && rm -r ./*`;
  await runAction('run', { run, 'working-directory': folder }, { exit: '0' });
}

/** Cancels a run. Returns the process ID of a child of its command. */
async function cancel(runAction: RunAction): Promise<string> {
  let send = () => {};
  const { stdout } = await runAction(
    'run',
    { run: 'sleep 300 & echo "child $!"; wait' },
    { exit: '1' },
    {
      onStart: signal => (send = () => signal('SIGINT')),
      onLine: line => line.startsWith('child ') && send(),
    },
  );
  return /^child (\d+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
}
