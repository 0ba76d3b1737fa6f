import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openService } from '../conform/service.ts';
import { download } from '../conform/store.ts';
import { runStep, type Step, type StepEnd } from '../runner/step.ts';

// Runs the built actions against an agent that knows nothing of this project, such as E2B's.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const PREFIX = 'E2b';

/** Below the workspace. Batches hold small files, and 256 KiB and more are streamed alone. */
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
  inputs: Readonly<Record<string, string>>,
  more?: Pick<Step, 'onLine' | 'onStart'>,
) => Promise<StepEnd>;

interface Trial {
  readonly workspace: string;
  readonly runAction: RunAction;
  readonly read: (target: string) => Promise<Buffer>;
  /** The folder in the sandbox that the trial fills. */
  readonly folder: string;
}

/** Prints how each check ended. Returns the problems. */
export async function tryActions(baseUrl: string, token: string): Promise<string[]> {
  await using temp = await mkdtempDisposable(path.join(tmpdir(), 'sandbox-sync-nightly-'));
  const workspace = path.join(temp.path, 'workspace');
  for (const [name, content] of Object.entries(TREE)) {
    await mkdir(path.join(workspace, path.dirname(name)), { recursive: true });
    await writeFile(path.join(workspace, name), content);
  }
  const connection = { 'sandbox-id': 'nightly', token, 'base-url': baseUrl };
  const service = openService({
    baseUrl,
    token,
    sandboxId: 'nightly',
    headerPrefix: PREFIX,
    username: undefined,
    uploadPath: '/files',
    statsPath: '/metrics',
    headers: {},
  });
  const trial: Trial = {
    workspace,
    folder: `/tmp/nightly-${randomUUID().slice(0, 8)}`,
    runAction: (action, inputs, more) =>
      runStep({
        action: path.join(PROJECT, action),
        inputs: { ...connection, 'header-prefix': PREFIX, ...inputs },
        workspace,
        temp: temp.path,
        ...more,
      }),
    read: async target => (await download(service, target)).body,
  };
  const problems: string[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    const problem = await check(trial).then(() => undefined, String);
    console.log(`${problem === undefined ? 'yes' : 'no '}  ${name}`);
    if (problem !== undefined) problems.push(`${name}: ${problem}`);
  }
  return problems;
}

const CHECKS: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  async 'upload stores a tree byte for byte'({ runAction, read, folder }) {
    const end = await runAction('upload', { files: '**', target: folder });
    assertEnd(end, 0, { 'uploaded-count': `${Object.keys(TREE).length}` });
    for (const [name, content] of Object.entries(TREE))
      assert.ok(content.equals(await read(`${folder}/${name}`)), name);
  },
  async 'sync replaces files, and its gate passes'({ runAction, read, folder }) {
    const files = 'large.bin => index.html';
    const inputs = { files, target: folder, 'fail-if': 'mem_used_pct > 100' };
    assertEnd(await runAction('.', inputs), 0, { 'uploaded-count': '1', gate: 'passed' });
    assert.ok(TREE['large.bin']?.equals(await read(`${folder}/index.html`)));
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
  async 'download fetches files byte for byte'({ runAction, workspace, folder }) {
    const names = ['empty', 'deep/er/größe 1+%41.svg', 'large.bin'];
    const files = names.map(name => `${folder}/${name} => back/${name}`).join('\n');
    assertEnd(await runAction('download', { files }), 0);
    for (const name of names)
      assert.ok(TREE[name]?.equals(await readFile(path.join(workspace, 'back', name))), name);
  },
  async 'a cancelled run ends its command'({ runAction }) {
    let cancel = () => {};
    let pid = '';
    const end = await runAction(
      'run',
      { run: 'sleep 300 & echo "child $!"; wait' },
      {
        onStart: signal => (cancel = () => signal('SIGINT')),
        onLine(line) {
          const [, child] = /^child (\d+)$/.exec(line) ?? [];
          if (child === undefined) return;
          pid = child;
          cancel();
        },
      },
    );
    assertEnd(end, 1);
    // A process that has ended is a zombie until the sandbox's first process notices.
    const run = `! grep -s '^State:.[^Z]' /proc/${pid}/status`;
    const { exitCode } = await runAction('run', { run });
    assert.equal(exitCode, 0, `process ${pid} lives`);
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
