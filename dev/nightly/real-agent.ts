import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runStep, type Step, type StepEnd } from '../runner/step.ts';

// Runs the built actions against a real agent, such as E2B's.

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

interface Trial {
  readonly workspace: string;
  readonly runAction: (
    action: string,
    inputs: Step['inputs'],
    more?: Pick<Step, 'onLine' | 'onStart'>,
  ) => Promise<StepEnd>;
  /** Folder in the sandbox to upload to. */
  readonly folder: string;
}

/** Runs all checks and prints their results. Returns the problems. */
export async function tryActions(url: string, token: string): Promise<string[]> {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-nightly-'));
  const workspace = path.join(temp.path, 'workspace');
  for (const [name, content] of Object.entries(TREE)) {
    await mkdir(path.join(workspace, path.dirname(name)), { recursive: true });
    await writeFile(path.join(workspace, name), content);
  }
  const connection = { 'sandbox-id': 'nightly', token, 'base-url': url, 'header-prefix': 'E2b' };
  const trial: Trial = {
    workspace,
    folder: `/tmp/nightly-${randomUUID().slice(0, 8)}`,
    runAction: (name, given, more) => {
      const action = path.join(PROJECT, name);
      const inputs = { ...connection, ...given };
      return runStep({ action, inputs, workspace, temp: temp.path, ...more });
    },
  };
  const problems: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const problem = await check(trial).then(() => undefined, String);
    console.log(`${problem === undefined ? 'yes' : 'no '}  ${name}`);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

/** Downloads files into `back`, and asserts that they have the stored content. */
async function assertStored(
  { workspace, folder, runAction }: Trial,
  stored: Readonly<Record<string, Buffer | undefined>>,
): Promise<void> {
  const files = Object.keys(stored).map(name => `${folder}/${name} => back/${name}`);
  assertEnd(await runAction('download', { files: files.join('\n') }), 0);
  for (const [name, content] of Object.entries(stored))
    assert.ok(content?.equals(await readFile(path.join(workspace, 'back', name))), name);
}

const CHECKS: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  async 'upload and download carry a tree byte for byte'(trial) {
    const end = await trial.runAction('upload', { files: '**', target: trial.folder });
    assertEnd(end, 0, { 'uploaded-count': `${Object.keys(TREE).length}` });
    await assertStored(trial, TREE);
  },
  async 'sync replaces files, and its gate passes'(trial) {
    const files = 'large.bin => index.html';
    const inputs = { files, target: trial.folder, 'fail-if': 'mem_used_pct > 100' };
    assertEnd(await trial.runAction('.', inputs), 0, { 'uploaded-count': '1', gate: 'passed' });
    await assertStored(trial, { 'index.html': TREE['large.bin'] });
  },
  async 'stats has figures, and fails a gate'({ runAction }) {
    const end = await runAction('stats', { 'fail-if': 'mem_total > 0B' });
    assertEnd(end, 1, { gate: 'failed' });
    for (const name of ['cpu-count', 'mem-total', 'disk-total'])
      assert.ok(Number(end.outputs[name]) > 0, name);
  },
  async 'run succeeds with exit code 0'({ runAction, folder }) {
    const inputs = { run: 'echo "ü $A"; ls many | wc -l', 'working-directory': folder, env: 'A=b' };
    const end = await runAction('run', inputs);
    assertEnd(end, 0, { 'exit-code': '0' });
    assert.match(end.stdout, /^ü b\n7$/m);
  },
  async 'run fails with exit code 3'({ runAction }) {
    assertEnd(await runAction('run', { run: 'exit 3' }), 1, { 'exit-code': '3' });
  },
  async 'a cancelled run ends its command'({ runAction }) {
    let cancel = () => {};
    let pid = '';
    const inputs = { run: 'sleep 300 & echo "child $!"; wait' };
    const end = await runAction('run', inputs, {
      onStart: signal => (cancel = () => signal('SIGINT')),
      onLine(line) {
        const [, child] = /^child (\d+)$/.exec(line) ?? [];
        if (child === undefined) return;
        pid = child;
        cancel();
      },
    });
    assertEnd(end, 1);
    // Ignore zombies (state Z): a killed process stays one until the first process reaps it.
    const run = `! grep -s '^State:.[^Z]' /proc/${pid}/status`;
    assertEnd(await runAction('run', { run }), 0);
  },
  async 'run removes what was uploaded'({ runAction, folder }) {
    const name = path.posix.basename(folder);
    const inputs = { run: `rm -r ${name}`, 'working-directory': path.posix.dirname(folder) };
    assertEnd(await runAction('run', inputs), 0);
  },
};

function assertEnd(end: StepEnd, exitCode: number, outputs: StepEnd['outputs'] = {}): void {
  assert.equal(end.exitCode, exitCode, end.stdout + end.stderr);
  for (const [name, value] of Object.entries(outputs)) assert.equal(end.outputs[name], value, name);
}
