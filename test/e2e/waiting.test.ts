import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  inTurn,
  methods,
  NOBODY,
  openWorld,
  runBadly,
  runWell,
  says,
  status,
  TOKEN,
  uploads,
} from './harness.ts';

const PATIENT = { 'wait-until': 'cpu_used_pct < 20\nmem_free > 1GiB', 'sample-interval': '200ms' };
const BRIEF = { ...PATIENT, 'wait-timeout': '300ms' };

describe('wait-until', () => {
  test('comes before the upload, and the gate after it', async () => {
    await using world = await openWorld({ metrics: inTurn('cpu_used_pct', 90, 50, 10, 90, 60) });
    const { outputs } = await runBadly(world, { ...PATIENT, 'fail-if': 'cpu_used_pct > 55' });
    // The sample before the upload starts the time that the next CPU figure covers.
    assert.equal(methods(world), 'GET GET GET GET POST GET');
    assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['failed', '60']);
  });

  test('ready goes on while the agent is not up, and says how long it took', async () => {
    const notYet = [
      status(502, says('The sandbox is running but port is not open')),
      status(503),
      { kind: 'reset', at: 'before-body' },
    ] as const;
    const faults = notYet.map(fault => ({ on: 'stats', times: 1, do: fault }) as const);
    await using world = await openWorld({ faults });
    const { stdout } = await runWell(world, { ...PATIENT, 'wait-until': 'ready' });
    assert.equal(methods(world), 'GET GET GET GET POST GET');
    // The wait repeats the request itself, without the longer pauses of retries.
    assert.doesNotMatch(stdout, /^Attempt/m);
    assert.match(stdout, /^The sandbox was ready after /m);
  });

  test('ends at wait-timeout: nothing is sent, and the last figures are told', async () => {
    await using world = await openWorld({ metrics: inTurn('cpu_used_pct', 87.5) });
    const result = await runBadly(world, { ...BRIEF, 'fail-if': 'mem_used_pct > 99' });
    assert.equal(uploads(world).length, 0);
    const { status: ending, reason = '' } = result.file('a.txt');
    assert.equal(ending, 'not-attempted');
    assert.match(reason, /not ready/);
    for (const text of [result.errors, result.summary.replaceAll('&lt;', '<')]) {
      assert.match(text, /not ready within/);
      assert.match(text, /cpu_used_pct < 20.*87\.5 %/s);
    }
    assert.doesNotMatch(result.errors, /mem_free/);
    assert.deepEqual([result.outputs['gate'], result.outputs['uploaded-count']], ['failed', '0']);
  });

  test('for an agent that never comes ends with what it met last', async () => {
    await using world = await openWorld();
    const { errors } = await runBadly(world, { ...BRIEF, 'base-url': NOBODY }, { task: 'stats' });
    assert.match(errors, /not ready within[\s\S]*REFUSED/i);
  });

  test('ends at once if the token is wrong', async () => {
    await using world = await openWorld();
    const inputs = { ...PATIENT, 'wait-timeout': '10m', token: `${TOKEN}-not` };
    assert.match((await runBadly(world, inputs)).errors, /answered 401[\s\S]*token/);
    assert.equal(methods(world), 'GET');
  });
});
