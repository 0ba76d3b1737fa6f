import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { parseArgs } from 'node:util';
import { runStep, type Step, type StepEnd } from '../runner/step.ts';

// Runs the built actions against a real agent, such as E2B's. The tests build on each other.

const PROJECT = path.resolve(import.meta.dirname, '../..');

const text = { type: 'string', default: 'any' } as const;
const { values } = parseArgs({ options: { agent: text, token: text, 'sandbox-id': text } });

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

/** Folder in the sandbox to upload to. */
const FOLDER = `nightly-${randomUUID().slice(0, 8)}`;
const TARGET = `/tmp/${FOLDER}`;

const temp = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-nightly-'));
after(() => rmSync(temp, { recursive: true }));
const workspace = path.join(temp, 'workspace');
for (const [name, content] of Object.entries(TREE)) {
  mkdirSync(path.join(workspace, path.dirname(name)), { recursive: true });
  writeFileSync(path.join(workspace, name), content);
}

/** Runs an action, and asserts that it ends with this exit code and these outputs. */
async function expectEnd(
  exitCode: number,
  outputs: StepEnd['outputs'],
  name: string,
  given: Step['inputs'],
  more: Pick<Step, 'onLine' | 'onStart'> = {},
): Promise<StepEnd> {
  const { agent: url, token, 'sandbox-id': id } = values;
  const connection = { 'sandbox-id': id, token, 'base-url': url, 'header-prefix': 'E2b' };
  const inputs = { ...connection, ...given };
  const end = await runStep({ action: path.join(PROJECT, name), inputs, workspace, temp, ...more });
  assert.equal(end.exitCode, exitCode, end.stdout + end.stderr);
  assert.partialDeepStrictEqual(end.outputs, outputs);
  return end;
}

/** Downloads files into `back`, and asserts that they have the stored content. */
async function assertStored(stored: Readonly<Record<string, Buffer | undefined>>): Promise<void> {
  const files = Object.keys(stored).map(name => `${TARGET}/${name} => back/${name}`);
  await expectEnd(0, {}, 'download', { files: files.join('\n') });
  for (const [name, content] of Object.entries(stored))
    assert.ok(content?.equals(readFileSync(path.join(workspace, 'back', name))), name);
}

test('upload and download carry a tree to an agent and back, byte for byte', async () => {
  const count = `${Object.keys(TREE).length}`;
  await expectEnd(0, { 'uploaded-count': count }, 'upload', { files: '**', target: TARGET });
  await assertStored(TREE);
});

test('sync replaces files of an agent, and its gate passes', async () => {
  const inputs = { target: TARGET, 'fail-if': 'mem_used_pct > 100' };
  const files = 'large.bin => index.html';
  await expectEnd(0, { 'uploaded-count': '1', gate: 'passed' }, '.', { ...inputs, files });
  await assertStored({ 'index.html': TREE['large.bin'] });
});

test('stats has the figures of an agent, and fails a gate', async () => {
  const conditions = 'cpu_count > 0\nmem_total > 0B\ndisk_total > 0B';
  await expectEnd(1, { gate: 'failed', unjudged: '[]' }, 'stats', { 'fail-if': conditions });
});

test('run succeeds with exit code 0 of an agent, and fails with 3', async () => {
  const run = 'echo "ü $A"; ls many | wc -l';
  const inputs = { run, 'working-directory': TARGET, env: 'A=b' };
  const { stdout } = await expectEnd(0, { 'exit-code': '0' }, 'run', inputs);
  assert.match(stdout, /^ü b\n7$/m);
  await expectEnd(1, { 'exit-code': '3' }, 'run', { run: 'exit 3' });
});

test('a cancelled run ends its command in an agent', async () => {
  let cancel = () => {};
  let pid = '';
  const inputs = { run: 'sleep 300 & echo "child $!"; wait' };
  await expectEnd(1, {}, 'run', inputs, {
    onStart: signal => (cancel = () => signal('SIGINT')),
    onLine(line) {
      const [, child] = /^child (\d+)$/.exec(line) ?? [];
      if (child === undefined) return;
      pid = child;
      cancel();
    },
  });
  // Ignore zombies (state Z): a killed process stays one until the first process reaps it.
  await expectEnd(0, {}, 'run', { run: `! grep -s '^State:.[^Z]' /proc/${pid}/status` });
});

test('run removes what was uploaded to an agent', async () => {
  await expectEnd(0, {}, 'run', { run: `rm -r ${FOLDER}`, 'working-directory': '/tmp' });
});
