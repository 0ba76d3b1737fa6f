import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../../local-agent/faults.ts';
import { proxyVariables } from '../../agent/sockets.ts';
import { openFront } from './front.ts';
import { assertNothingLost, drive, openPlace, type Run, saidIn } from './place.ts';

proxyVariables({});

const FILES = 60;
const RETRIES = 2;
const CONCURRENCY = 7;
const INPUTS = { retries: `${RETRIES}`, concurrency: `${CONCURRENCY}` };

const contents = new Map(
  Array.from({ length: FILES }, (_, index) => [`f${index}`, Buffer.from(`content ${index}`)]),
);

function count({ report }: Run, status: string): number {
  return report.files.filter(file => file.status === status).length;
}

const says = (message: string) => JSON.stringify({ sandboxId: 'i1', message, code: 502 });

/** What may pass, and does not. */
const FOR_EVER: Readonly<Record<string, FaultAction>> = {
  '503': { kind: 'status', status: 503 },
  '503 before the body': { kind: 'status', status: 503, early: true },
  '429 with Retry-After': { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
  'port not open': { kind: 'status', status: 502, body: says('The sandbox is running but port is not open') },
  'a reset before the body': { kind: 'reset', at: 'before-body' },
  'a reset during the body': { kind: 'reset', at: 'during-body' },
  'a reset after the body': { kind: 'reset', at: 'after-body' },
  'a hang-up before the body': { kind: 'hang-up', at: 'before-body' },
  'a hang-up after the body': { kind: 'hang-up', at: 'after-body' },
  'half an answer': { kind: 'truncate' },
};

suite('with everything failing, retrying never multiplies', { concurrency: 4 }, () => {
  for (const [what, action] of Object.entries(FOR_EVER)) {
    test(`by ${what}: as many requests as files and their retries`, async () => {
      await using place = await openPlace(contents, { faults: [{ on: 'any', do: action }] });
      const run = await drive(place, INPUTS);
      assert.equal(place.world.agent.requests.length, FILES * (RETRIES + 1));
      assert.deepEqual([count(run, 'failed'), run.exitCode], [FILES, 1]);
      assert.equal(run.delays.length, FILES * RETRIES);
      assertNothingLost(place, saidIn(run));
    });
  }

  test('by refused connections: no more than are in flight have their attempts', async () => {
    await using place = await openPlace(contents);
    await using closed = await openFront(() => place.world.agent.url);
    const run = await drive(place, { ...INPUTS, 'base-url': `http://127.0.0.1:${closed.port}` });
    assert.ok(run.attempts <= CONCURRENCY * (RETRIES + 1), `${run.attempts} attempts`);
    assert.equal(count(run, 'failed') + count(run, 'not-attempted'), FILES);
    assert.ok(count(run, 'failed') <= CONCURRENCY);
    assertNothingLost(place, saidIn(run), true);
  });
});

/** After which no other request can succeed. */
const FINAL: Readonly<Record<string, FaultAction>> = {
  'a sandbox that is gone': { kind: 'status', status: 502, body: says('The sandbox was not found') },
  'a sandbox that is gone, told early': {
    kind: 'status',
    status: 502,
    body: says('The sandbox was not found'),
    early: true,
  },
  'a token that expired': { kind: 'status', status: 401 },
  'a token that may no more': { kind: 'status', status: 403 },
  'a full disk': { kind: 'status', status: 507 },
};

suite('the transfer ends after the requests in flight', { concurrency: 4 }, () => {
  for (const [what, action] of Object.entries(FINAL)) {
    for (const before of [0, 30]) {
      test(`with ${what} after ${before} files`, async () => {
        await using place = await openPlace(contents, { faults: [{ on: 'any', skip: before, do: action }] });
        const run = await drive(place, INPUTS);
        const { length } = place.world.agent.requests;
        assert.ok(length > before && length <= before + CONCURRENCY, `${length} requests`);
        assert.equal(length, run.attempts);
        assert.deepEqual([count(run, 'uploaded'), count(run, 'failed')], [before, length - before]);
        assert.equal(count(run, 'not-attempted'), FILES - length);
        assert.deepEqual([run.exitCode, run.delays.length], [1, 0]);
        assertNothingLost(place, saidIn(run), true);
      });
    }
  }

  test('and what waits for another attempt has none', async () => {
    const gone = FINAL['a sandbox that is gone'] ?? assert.fail();
    const busy: FaultAction = { kind: 'status', status: 503 };
    await using place = await openPlace(contents, {
      faults: [
        { on: 'any', times: CONCURRENCY - 1, do: busy },
        { on: 'any', do: gone },
      ],
    });
    const { requests } = place.world.agent;
    // The waits last until the sandbox has been found to be gone.
    const run = await drive(place, INPUTS, async (_, stop) => {
      if (!stop.aborted) await once(stop, 'abort');
    });
    assert.equal(requests.length, CONCURRENCY);
    assert.deepEqual([count(run, 'failed'), count(run, 'not-attempted')], [CONCURRENCY, FILES - CONCURRENCY]);
    assertNothingLost(place, saidIn(run), true);
  });
});
