import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startService } from '../agent/service.ts';
import { measure } from '../runner/execute.ts';
import { runStep } from '../runner/step.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1).join(' ');

// Only about 16 MiB are in use, but the peak is higher and varies: V8 collects garbage late.
const MAX_MIB = 256;

/** Commands that write 200 MB each. */
const OUTPUTS: Readonly<Record<string, string>> = {
  lines: 'yes "$(printf %060d)" | head -c 200000000 || true',
  'line breaks alone': 'yes "" | head -c 200000000 || true',
  'one line': 'head -c 200000000 /dev/zero | tr "\\0" x',
};

function runProgram(args: readonly string[], more: NodeJS.ProcessEnv = {}): void {
  const options = { cwd: PROJECT, env: { ...process.env, ...more } };
  const { status } = spawnSync(process.execPath, args, { ...options, stdio: 'inherit' });
  assert.equal(status, 0);
}

test('the benchmark delivers every file, and an upload keeps to its memory', () => {
  runProgram(['dev/bench.ts', '--rounds', '1']);
});

test('the chaos tests pass with 100 seeds', () => {
  const files = globSync('test/**/*chaos.test.ts', { cwd: PROJECT });
  runProgram(['dev/test.ts', ...files], { CHAOS_SEEDS: SEEDS });
});

for (const [what, run] of Object.entries(OUTPUTS))
  test(`run keeps to its memory with a command that writes 200 MB [${what}]`, async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-memory-'));
    await using service = await startService({ folder: folder.path, runCommands: true });
    const { id, token } = service.create();
    const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
    const place = { workspace: folder.path, temp: folder.path, action: path.join(PROJECT, 'run') };
    const inputs = { ...connection, run };
    const { peakMib } = await measure(onStart => runStep({ ...place, inputs, onStart }));
    assert.ok(peakMib <= MAX_MIB, `${peakMib} MiB`);
  });

describe('the external links of the documents', { concurrency: true }, () => {
  const documents = globSync('{*,docs/*,*/README,dev/*,.github/*}.md', { cwd: PROJECT });
  const texts = documents.map(file => readFileSync(path.join(PROJECT, file), 'utf8'));
  for (const link of new Set(texts.join('\n').match(/(?<=\]\()https:[^)\s#]+/g)))
    test(`an external link leads somewhere [${link}]`, async () => {
      const { status } = await fetch(link, { signal: AbortSignal.timeout(30_000) });
      // Ignore other statuses, since some sites reject scripts.
      assert.ok(status !== 404 && status !== 410, `${status}`);
    });
});
