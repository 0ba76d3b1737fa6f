import assert from 'node:assert/strict';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Contender } from '../../dev/bench/contenders/contender.ts';
import { NEAR } from '../../dev/bench/places.ts';
import { measureWorkload } from '../../dev/bench/rounds.ts';
import { startSink } from '../../dev/bench/sink/start.ts';

const WORKLOAD = {
  name: 'two',
  sizes: [1, 2],
  places: [NEAR],
  rounds: 1,
  kinds: ['action'],
} as const;

/** A contender that runs a script with the sink's URL. */
function contender(script: string): Contender {
  return {
    name: 'tried',
    kind: 'action',
    prepare: async ({ folder, url }) => ({
      file: process.execPath,
      args: ['-e', script, url],
      cwd: folder,
      env: {},
    }),
  };
}

async function measured(tried: Contender) {
  using temp = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-bench-test-'));
  await using sink = await startSink();
  const servers = { sink, agent: sink };
  const plan = {
    servers,
    caFile: undefined,
    temp: temp.path,
    rounds: 2,
    withWarmUp: false,
    say: () => {},
  };
  const rows = await measureWorkload(WORKLOAD, [tried], plan);
  assert.deepEqual(readdirSync(temp.path), []);
  return rows;
}

/** Sends each body as a file. */
function sending(...bodies: readonly string[]): Contender {
  const send = `fetch(process.argv[1] + '/files?path=' + body, { method: 'POST', body })`;
  return contender(`for (const body of ${JSON.stringify(bodies)}) ${send}`);
}

test('what a contender delivers is counted by files and bytes, and its time is the median', async () => {
  const [row, ...more] = await measured(sending('a', 'bc'));
  assert.deepEqual([row?.files, row?.bytes, row?.requests, more], [2, 3, 2, []]);
  assert.equal(row?.roundsMs.length, 2);
  assert.equal(row?.medianMs, ((row?.roundsMs[0] ?? 0) + (row?.roundsMs[1] ?? 0)) / 2);
});

test('a contender that delivers too little is an error', async () => {
  const few = [sending(), sending('abc'), sending('a', 'b')];
  const said = [
    '0 of 2 files, 0 of 3 bytes',
    '1 of 2 files, 3 of 3 bytes',
    '2 of 2 files, 2 of 3 bytes',
  ];
  for (const [index, tried] of few.entries())
    await assert.rejects(measured(tried), { message: `tried delivered ${said[index]}` });
});

test('a contender that fails is an error', async () => {
  await assert.rejects(measured(contender('process.exit(3)')), /ended with 3/);
});
