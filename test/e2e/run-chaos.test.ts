import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Break, openRelay } from '../sandbox/relay.ts';
import { openCommandJob, WITHOUT_BASH } from './command-job.ts';
import type { Result } from './result.ts';
import { runAction } from './run-action.ts';
import { METRICS } from './test-job.ts';

// Each of these ends in another way. CHAOS_SEEDS="1 2 3" tries others.
const SEEDS = (process.env['CHAOS_SEEDS'] ?? '2 3 7').split(' ').map(Number);

function breakAt(direction: 'to-server' | 'to-client', afterBytes: fc.Arbitrary<number>) {
  const by = fc.constantFrom('reset', 'hang', 'noise');
  return fc.record({ direction: fc.constant(direction), afterBytes, by });
}

// A start is about 1,200 bytes long; the output of a command, up to 100 KiB.
const BREAK: fc.Arbitrary<Break> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('refuse' as const) },
  { weight: 1, arbitrary: breakAt('to-server', fc.integer({ min: 1, max: 1500 })) },
  { weight: 2, arbitrary: breakAt('to-client', fc.integer({ min: 1, max: 2500 })) },
  { weight: 2, arbitrary: breakAt('to-client', fc.integer({ min: 1, max: 100_000 })) },
);

const CHAOS = fc.record({
  breaks: fc.array(fc.option(BREAK, { nil: undefined, freq: 2 }), { minLength: 2, maxLength: 5 }),
  lines: fc.nat(1500),
  /** How many samples are taken before the command goes on to its end. */
  samples: fc.nat(4),
  exitCode: fc.constantFrom(0, 0, 3),
  isGated: fc.boolean(),
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

interface ChaosEnd {
  readonly result: Result;
  /** What the command itself wrote into files, at its start and its end. */
  readonly started: string;
  readonly ended: string;
}

/** Runs a command while connections to its sandbox break. */
async function runChaos({ breaks, lines, samples, exitCode, isGated }: Chaos): Promise<ChaosEnd> {
  let fifo: number | undefined;
  let count = 0;
  const metrics = () => {
    count += 1;
    if (count === samples + 1 && fifo !== undefined) writeSync(fifo, 'go\n');
    return METRICS;
  };
  await using job = await openCommandJob({ metrics });
  const home = path.join(job.root, 'home/user');
  mkdirSync(home, { recursive: true });
  execFileSync('mkfifo', [path.join(home, 'fifo')]);
  // Open for both, or opening would wait for the command.
  fifo = openSync(path.join(home, 'fifo'), constants.O_RDWR | constants.O_NONBLOCK);
  await using relay = await openRelay(Number(new URL(job.agent.url).port), {
    isProxy: false,
    breaks,
  });
  const run = `echo started >>starts
seq -f '%050g' 1 ${lines}
read -r _ <fifo
echo ended ${exitCode} >>ends
exit ${exitCode}`;
  const inputs = {
    'base-url': `http://${relay.address}`,
    run,
    name: 'chaos',
    timeout: '1s',
    'sample-interval': '200ms',
    ...(isGated && { 'fail-if': 'mem_used_pct > 90' }),
  };
  const result = await runAction(job, inputs, { task: 'run' });
  closeSync(fifo);
  const read = (name: string) =>
    existsSync(path.join(home, name)) ? readFileSync(path.join(home, name), 'utf8') : '';
  return { result, started: read('starts'), ended: read('ends') };
}

// The last two are about the gate: without a first sample, nothing is started.
const REASONS = [
  /^chaos: chaos exited with 3 after/,
  /^chaos: chaos was not started\./,
  /^chaos: chaos was not seen to end within .* It may still be running\./,
  /^chaos: chaos exited with \d after .*, but the stream broke off\./,
  /^chaos: GET http:.*\/metrics (failed|answered 400)/,
  /^chaos: The sandbox was not seen from .* (The gate failed|chaos exited with 0 after .*)\./,
];

describe('run', { concurrency: 3, skip: WITHOUT_BASH }, () => {
  for (const seed of SEEDS)
    test(`an unreliable network never makes a failed command green, or starts it twice (seed ${seed})`, async t => {
      const [chaos] = fc.sample(CHAOS, { seed, numRuns: 1 });
      assert.ok(chaos);
      const { result, started, ended } = await runChaos(chaos);
      const context = `${JSON.stringify(chaos)}\n${result.stdout}${result.stderr}`;
      assert.equal(result.stderr, '', context);
      assert.ok(['', 'started\n'].includes(started), `${started}${context}`);
      const { 'exit-code': exitCode = '' } = result.outputs;
      if (exitCode !== '') assert.equal(ended, `ended ${exitCode}\n`, context);
      if (result.exitCode === 0) assert.deepEqual([exitCode, ended], ['0', 'ended 0\n'], context);
      else {
        assert.equal(result.exitCode, 1, context);
        assert.ok(
          REASONS.some(reason => reason.test(result.errors)),
          context,
        );
      }
      if (/was not started/.test(result.errors)) assert.equal(started, '', context);
      const [reason] = result.errors.split('\n');
      t.diagnostic(`seed ${seed}: ${reason || 'green'}; ${result.warnings || 'no warnings'}`);
    });
});
