import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import { type ConnectionFault, openRelay } from '../support/relay.ts';
import { runAction } from '../support/run-action.ts';
import { filesBelow, SKIP_WITHOUT_BASH } from '../support/system.ts';
import { METRICS, openJob } from '../support/test-job.ts';

function faultAt(direction: 'to-server' | 'to-client', afterBytes: fc.Arbitrary<number>) {
  const by = fc.constantFrom('reset', 'hang', 'noise');
  return fc.record({ direction: fc.constant(direction), afterBytes, by });
}

// The limits cover the request that starts a command (about 1,200 bytes) and its output (100 KiB).
const CONNECTION_FAULT: fc.Arbitrary<ConnectionFault> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('refuse' as const) },
  { weight: 1, arbitrary: faultAt('to-server', fc.integer({ min: 1, max: 1500 })) },
  { weight: 2, arbitrary: faultAt('to-client', fc.integer({ min: 1, max: 2500 })) },
  { weight: 2, arbitrary: faultAt('to-client', fc.integer({ min: 1, max: 100_000 })) },
);

const CHAOS = fc.record({
  connectionFaults: fc.array(fc.option(CONNECTION_FAULT, { nil: undefined, freq: 2 }), {
    minLength: 2,
    maxLength: 5,
  }),
  lines: fc.nat(1500),
  /** Number of samples that are taken while the command waits. */
  samples: fc.nat(4),
  exitCode: fc.constantFrom(0, 0, 3),
  isGated: fc.boolean(),
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

async function runCommand({ connectionFaults, lines, samples, exitCode, isGated }: Chaos) {
  let fifo: number | undefined;
  let count = 0;
  const metrics = () => {
    count += 1;
    if (count === samples + 1 && fifo !== undefined) writeSync(fifo, 'go\n');
    return METRICS;
  };
  await using job = await openJob({ runCommands: true, metrics });
  const home = path.join(job.root, 'home/user');
  mkdirSync(home, { recursive: true });
  execFileSync('mkfifo', [path.join(home, 'fifo')]);
  // Open the pipe for reading and writing, since opening one end would wait for the command.
  fifo = openSync(path.join(home, 'fifo'), constants.O_RDWR | constants.O_NONBLOCK);
  await using relay = await openRelay(job.agent.url, { faults: connectionFaults });
  const run = `echo started >>starts
seq -f '%050g' 1 ${lines}
read -r _ <fifo
echo ended ${exitCode} >>ends
exit ${exitCode}`;
  const inputs = {
    'base-url': `http://${relay.host}`,
    run,
    name: 'chaos',
    timeout: '1s',
    'sample-interval': '200ms',
    ...(isGated && { 'fail-if': 'mem_used_pct > 90' }),
  };
  const result = await runAction(job, inputs, { task: 'run' });
  closeSync(fifo);
  // The command logged its start and end to these files.
  const { starts = '', ends = '' } = filesBelow(home);
  return { result, started: String(starts), ended: String(ends) };
}

// With a gate, run starts nothing if the first sample fails, and fails if samples leave a gap.
const REASONS = [
  /^chaos: echo started >>starts … exited with 3 after/,
  /^chaos: echo started >>starts … was not started\./,
  /^chaos: echo started >>starts … was not seen to end within .* It may still be running\./,
  /^chaos: GET http:.*\/metrics (failed|answered 400)/,
  /^chaos: The sandbox was not seen from .* (The gate failed|echo started >>starts … exited with 0 after .*)\./,
];

testChaos({
  name: 'an unreliable network never makes a failed command green, or starts it twice',
  seeds: [2, 3, 7],
  chaos: CHAOS,
  skip: SKIP_WITHOUT_BASH,
  async run(chaos) {
    const { result, started, ended } = await runCommand(chaos);
    const { stdout, stderr, errors, warnings, outputs } = result;
    assert.equal(stderr, '', stdout);
    assert.ok(['', 'started\n'].includes(started), `${started}${stdout}`);
    const { 'exit-code': exitCode = '' } = outputs;
    if (exitCode !== '') assert.equal(ended, `ended ${exitCode}\n`, stdout);
    if (result.exitCode === 0) assert.deepEqual([exitCode, ended], ['0', 'ended 0\n'], stdout);
    else {
      assert.equal(result.exitCode, 1, stdout);
      assert.ok(
        REASONS.some(reason => reason.test(errors)),
        stdout,
      );
    }
    if (/was not started/.test(errors)) assert.equal(started, '', stdout);
    const [reason] = errors.split('\n');
    return `${reason || 'green'}; ${warnings || 'no warnings'}`;
  },
});
