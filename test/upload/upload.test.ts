import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import type { PlannedFile } from '../../src/files/targets.ts';
import { readState } from '../../src/upload/state-file.ts';
import { logProgress, sendPlan, showPlan, type UploadPlan } from '../../src/upload/upload.ts';
import { fileRow } from '../../src/upload/upload-files.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import {
  plannedFile,
  type Request,
  type Settings,
  simulateAgent,
} from '../support/simulated-transfer.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const STATE_FILE = 'state.json';

let folder = openTempFolder();
afterEach(() => {
  folder[Symbol.dispose]();
  folder = openTempFolder();
});

function planOf(
  toSend: readonly PlannedFile[],
  more: Partial<Pick<UploadPlan, 'unchanged' | 'orphaned' | 'warnings'>> = {},
): UploadPlan {
  const state = readState(parseSyncInputs({ 'state-file': STATE_FILE }), folder.path);
  const others = { unchanged: [], orphaned: [], skipped: [], shard: undefined, warnings: [] };
  return { ...others, toSend, state, ...more };
}

function send(
  plan: UploadPlan,
  failureOf?: (request: Request) => Error | undefined,
  settings: Settings = {},
) {
  const options = { stateFile: STATE_FILE, ...settings };
  const { inputs, client, context } = simulateAgent(failureOf, options);
  return sendPlan(plan, inputs, client, context);
}

const filesFor = (...targets: readonly string[]) =>
  targets.map(target => folder.writePlanned(target, target));

test('an upload that is cancelled before it begins sends nothing and keeps the state file', async () => {
  await send(planOf(filesFor('a')));
  const kept = readFileSync(folder.at(STATE_FILE), 'utf8');
  const plan = planOf(filesFor('a', 'b'), { orphaned: ['/home/c'], warnings: ['Hm.'] });
  const never = () => assert.fail('a request was sent');
  const result = await send(plan, never, { cancel: AbortSignal.abort('the job was cancelled') });
  const files = Array(2).fill({ status: 'not-attempted', reason: 'the job was cancelled' });
  assert.partialDeepStrictEqual(result, { files, orphaned: ['/home/c'], warnings: ['Hm.'] });
  assert.equal(readFileSync(folder.at(STATE_FILE), 'utf8'), kept);
});

test('a path is not orphaned if this upload stored another file there', async () => {
  const plan = planOf(filesFor('new/a'), { orphaned: ['/srv/new/a', '/srv/old/b'] });
  // A link in the sandbox can lead to the place of a file that has left the build.
  const { orphaned } = await send(plan, undefined, { storedPath: target => `/srv/${target}` });
  assert.deepEqual(orphaned, ['/srv/old/b']);
});

test('a dry run plans the files to send, hashes them with checksums or a state, and has the digest of the upload', async () => {
  const [a, b] = filesFor('a', 'b');
  assert.ok(a && b);
  const sent = await send(planOf([a, b]));
  const [row] = planOf([]).state?.rows ?? [];
  const { context } = simulateAgent();
  for (const hashing of [{ checksums: true }, { stateFile: 'state.json' }, {}]) {
    const unchanged = [
      { ...fileRow(a), status: 'unchanged', path: '/home/a', sha256: row?.sha256 },
    ] as const;
    const inputs = { ...parseSyncInputs(), ...hashing };
    const planned = await showPlan(planOf([b], { unchanged }), inputs, context);
    const files = [{ status: 'planned' }, { status: 'unchanged' }] as const;
    const digest = Object.keys(hashing).length > 0 ? sent.digest : '';
    assert.partialDeepStrictEqual(planned, { dryRun: true, files, digest });
  }
  assert.match(sent.digest, /^sha256:[0-9a-f]{64}$/);
});

test('the log shows the progress of an upload every 15 s until it ends', t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const lines: string[] = [];
  let now = 0;
  const log = { line: (text: string) => lines.push(text), output() {}, debug() {}, warning() {} };
  {
    const files = [plannedFile('a.js', 1024), plannedFile('b.js', 3072)];
    using progress = logProgress(files, { now: () => now, log });
    progress.onSent(1536);
    now = 1000;
    t.mock.timers.tick(15_000);
    // Multipart framing and retries send more than the files' sizes, so the figure is capped.
    progress.onSent(9999);
    progress.onStored(1);
    t.mock.timers.tick(15_000);
  }
  t.mock.timers.tick(60_000);
  assert.deepEqual(lines, [
    '0 of 2 files, 1.5 KiB of 4 KiB, 1.5 KiB/s',
    '1 of 2 files, 4 KiB of 4 KiB, 4 KiB/s',
  ]);
});
