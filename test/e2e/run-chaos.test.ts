import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { testChaos } from '../support/chaos.ts';
import { type ConnectionFault, openRelay } from '../support/relay.ts';
import { runAction } from '../support/run-action.ts';
import { filesBelow, SKIP_WITHOUT_BASH } from '../support/system.ts';
import { METRICS, openJob } from '../support/test-job.ts';

// The limits cover the request that starts a command (about 1,200 bytes) and its output (100 KiB).
const CONNECTION_FAULT: fc.Arbitrary<ConnectionFault> = fc.oneof(
  fc.constant('refuse' as const),
  fc.record({
    direction: fc.constantFrom('to-server', 'to-client'),
    afterBytes: fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 100_000 })),
    by: fc.constantFrom('reset', 'hang', 'noise'),
  }),
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
});

type Chaos = typeof CHAOS extends fc.Arbitrary<infer T> ? T : never;

async function runCommand({ connectionFaults, lines, samples, exitCode }: Chaos) {
  let count = 0;
  const metrics = () => {
    count += 1;
    if (count === samples + 1) writeFileSync(path.join(home, 'go'), '');
    return METRICS;
  };
  await using job = await openJob({ runCommands: true, metrics });
  const home = path.join(job.root, 'home/user');
  await using relay = await openRelay(job.agent.url, { faults: connectionFaults });
  const run = `echo started >>starts
seq -f '%050g' 1 ${lines}
until [ -e go ]; do sleep 0.05; done
echo ended ${exitCode} >>ends
exit ${exitCode}`;
  const inputs = {
    'base-url': `http://${relay.host}`,
    run,
    timeout: '1s',
    'sample-interval': '200ms',
  };
  const result = await runAction(job, inputs, { task: 'run' });
  // The command logged its start and end to these files.
  const { starts = '', ends = '' } = filesBelow(home);
  return { result, started: String(starts), ended: String(ends) };
}

const REASON =
  /^echo started >>starts …: (exit code 3 after|not started|not seen to end within .*\nIt may still be running\.)/;

testChaos({
  name: 'an unreliable network never makes a failed command green, or starts it twice',
  seeds: [3, 5, 21],
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
      assert.match(errors, REASON, stdout);
    }
    if (/: not started\n/.test(errors)) assert.equal(started, '', stdout);
    const [reason] = errors.split('\n');
    return `${reason || 'green'}; ${warnings || 'no warnings'}`;
  },
});
