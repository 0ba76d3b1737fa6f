import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Contender } from '../../bench/contenders/contender.ts';
import type { Results } from '../../bench/results.ts';
import { measureWorkload } from '../../bench/rounds.ts';
import { startSink } from '../../bench/sink.ts';
import { workloads } from '../../bench/workloads.ts';

const MAIN = path.resolve(import.meta.dirname, '../../bench/main.ts');
const OWN = ['action', 'engine', 'curl -Z', 'curl loop'];

test('a quick run measures every contender that needs no package, and all of them deliver', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-bench-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const json = path.join(folder, 'results.json');
  // What a contender does not deliver ends the run.
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--quick', '--json', json]);
  const { rows, coldStarts, leftOut }: Results = JSON.parse(readFileSync(json, 'utf8'));
  for (const { name, kinds, latenciesMs, sizes } of workloads(true)) {
    for (const kind of kinds.filter(each => OWN.includes(each))) {
      const found = rows.filter(row => row.workload === name && row.kind === kind);
      const latencies = kind === 'curl loop' ? [0] : latenciesMs;
      assert.deepEqual([...new Set(found.map(row => row.latencyMs))], latencies, `${name}: ${kind}`);
      for (const row of found) {
        assert.equal(row.files, sizes.length);
        assert.ok(row.medianMs > 0);
      }
    }
  }
  assert.ok(rows.some(row => row.kind.startsWith('e2b')) || leftOut.some(each => each.startsWith('e2b')));
  assert.deepEqual(
    coldStarts.map(start => start.entry),
    ['node -e 0', 'sync', 'upload', 'stats', 'monitor', 'monitor-post'],
  );
  assert.match(stdout, /\| action \| \d/);
});

test('a contender that delivers nothing is an error', async () => {
  await using sink = await startSink();
  const idle: Contender = {
    name: 'idle',
    kind: 'action',
    prepare: async ({ folder }) => ({
      command: { file: process.execPath, args: ['-e', '0'], cwd: folder, env: {} },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  };
  const workload = { name: 'two', sizes: [1, 2], latenciesMs: [0], rounds: 1, kinds: [idle.kind] };
  const plan = { contenders: [idle], sink, rounds: 1, withWarmUp: false, say: () => {} };
  await assert.rejects(measureWorkload(workload, plan), /idle delivered 0 of 2 files, 0 of 3 bytes/);
});
