import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { readStats, sampleTimeout, takeSamples, trySample } from '../../src/stats/sampling.ts';
import { redactor } from '../../src/text/escape.ts';
import { fakeClock } from '../support/clock.ts';
import { LIMITS, openTestClient } from '../support/open-client.ts';
import { answering, http, rawServer } from '../support/raw-server.ts';

/** Reads the stats of an agent that sends this body. */
function statsFromJson(body: string, redact: (text: string) => string = String) {
  const send = async () => ({ label: 'GET /metrics', status: 200, headers: {}, body });
  return readStats({ send, redact }, '/metrics', LIMITS);
}

const MIB = 2 ** 20;

const QUARTER_OF_MEMORY = {
  mem_total_mib: 4,
  mem_used_mib: 1,
  mem_total: 4 * MIB,
  mem_used: MIB,
  mem_used_pct: 25,
  mem_free: 3 * MIB,
};

const FIGURES: Readonly<Record<string, readonly [json: string, figures: object]>> = {
  'returns all numbers': [
    '{"ts":1,"load":0.5,"delta":-3,"big":9223372036854775808,"__proto__":1}',
    { ts: 1, load: 0.5, delta: -3, big: 2 ** 63, ['__proto__']: 1 },
  ],
  'omits what is not a number, or is too large': [
    '{"a":1e19,"b":"7","c":true,"d":null,"e":[1],"f":{"g":1},"h":2}',
    { h: 2 },
  ],
  'counts the processes that the kernel killed, which agents list': [
    '{"oom_kills":[{"seq":843,"process":"node"},{"seq":901,"process":"python3"}]}',
    { oom_kills: 2 },
  ],
  'derives bytes of memory from MiB, even if the total in bytes is 0': [
    '{"mem_total":0,"mem_used":0,"mem_total_mib":4,"mem_used_mib":1}',
    QUARTER_OF_MEMORY,
  ],
  'derives whole MiB of memory from bytes': [
    `{"mem_total":${4 * MIB},"mem_used":${1.5 * MIB}}`,
    { ...QUARTER_OF_MEMORY, mem_used: 1.5 * MIB, mem_used_pct: 37.5, mem_free: 2.5 * MIB },
  ],
  'derives percent with two decimals, and free bytes': [
    '{"disk_used":2,"disk_total":3}',
    { disk_used: 2, disk_total: 3, disk_used_pct: 66.67, disk_free: 1 },
  ],
  'replaces percent and free bytes that were sent, even by more than 100 percent': [
    '{"disk_used":9,"disk_total":8,"disk_used_pct":50,"disk_free":4}',
    { disk_used: 9, disk_total: 8, disk_used_pct: 112.5, disk_free: -1 },
  ],
  'omits totals below 1 with the figures that depend on them': [
    '{"disk_used":1,"disk_total":0,"disk_used_pct":5,"disk_free":5,"mem_total":0.5,"mem_used":1,"mem_total_mib":-1,"mem_used_mib":1,"ts":1}',
    { ts: 1 },
  ],
};

for (const [name, [json, figures]] of Object.entries(FIGURES))
  test(`readStats returns the figures that were sent, and those that follow from them [${name}]`, async () => {
    const stats = await statsFromJson(json);
    assert.deepEqual(stats.figures, figures);
  });

const NESTED = `{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
test('readStats rejects what is not a JSON object', async () => {
  const error = { kind: 'bad-response', isRetryable: false, message: /not a JSON object/ };
  for (const text of ['', '{"a":', 'null', '[]', '1', NESTED])
    await assert.rejects(statsFromJson(text), error);
});

test('stats that the service does not have get a hint about stats-path', async () => {
  await using server = await rawServer(answering(http(404)));
  await using client = openTestClient(`http://${server.host}`);
  await assert.rejects(readStats(client, '/metrics', LIMITS), { status: 404, hint: /stats-path/ });
});

test('readStats rejects stats of more than 128 KiB', async () => {
  const body = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  const error = { kind: 'bad-response', message: /longer than 128 KiB/ };
  await assert.rejects(statsFromJson(body(128 * 1024 + 1)), error);
  await assert.doesNotReject(statsFromJson(body(128 * 1024)));
});

test('readStats redacts names and strings, but no numbers', async () => {
  const body = '{"12345678":12345678,"a\\u00345678b":["x12345678"]}';
  const { figures, response } = await statsFromJson(body, redactor(['12345678', '45678']));
  assert.deepEqual(figures, { '***': 12_345_678 });
  assert.deepEqual(response, { '***': 12_345_678, 'a***b': ['x***'] });
});

interface Sampling {
  /** Errors of the first samples, in order. */
  readonly errors?: readonly Error[];
  /** Stops during the sample with this number. */
  readonly stopDuring?: number;
  /** Stops at this time in ms. */
  readonly stopAt?: number;
  readonly sampleOnStop?: boolean;
  readonly firstMs?: number;
}

/** Samples every 5 ms. Returns the times or failures. */
async function sample(sampling: Sampling) {
  const { errors = [], stopDuring, stopAt, sampleOnStop = true, firstMs = 5 } = sampling;
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  if (stopAt !== undefined) void sleep(stopAt).then(() => stop.abort());
  let count = 0;
  const read = async () => {
    const error = errors[count];
    count += 1;
    if (count === stopDuring) stop.abort();
    if (error !== undefined) throw error;
    return { figures: { mem_used: 1 }, response: {} };
  };
  const seen: unknown[] = [];
  const take = async () => {
    const { observation: each } = await trySample(read, now);
    seen.push(each.kind === 'failure' ? each.message : each.at);
  };
  const options = { intervalMs: 5, firstMs, sleep, stop: stop.signal, sampleOnStop };
  await takeSamples(take, options);
  return seen;
}

const FAILURES = [new AgentError('connection', 'Slow.'), new AgentError('busy', 'Busy.')];
const SAMPLINGS: Readonly<Record<string, readonly [Sampling, readonly unknown[]]>> = {
  'up to the one during which it is stopped': [{ stopDuring: 2 }, [5, 10]],
  'and a last one if it is stopped between two': [{ stopAt: 12 }, [5, 10, 12]],
  'and no last one without `sampleOnStop`': [{ stopAt: 12, sampleOnStop: false }, [5, 10]],
  'and goes on after failures': [{ errors: FAILURES, stopDuring: 3 }, ['Slow.', 'Busy.', 15]],
  'the first one after `firstMs`': [{ firstMs: 2, stopDuring: 3 }, [2, 7, 12]],
};
for (const [what, [sampling, seen]] of Object.entries(SAMPLINGS))
  test(`takeSamples takes a sample after each interval [${what}]`, async () => {
    assert.deepEqual(await sample(sampling), seen);
  });

test('takeSamples takes as many samples as fit into the time until it is stopped', async () => {
  assert.equal((await sample({ stopDuring: 60_001 })).length, 60_001);
});

test('an observation has the times of the request and of its response, whether or not it failed', async () => {
  const { sleep, now } = fakeClock();
  const stats = { figures: { mem_used: 1 }, response: { mem_used: 1 } };
  async function observationThat(outcome: typeof stats | AgentError, ms: number) {
    const read = async () => {
      await sleep(ms);
      if (outcome instanceof AgentError) throw outcome;
      return outcome;
    };
    return await trySample(read, now);
  }
  const message = 'The sandbox had not answered after 5 s.';
  assert.deepEqual(
    [
      await observationThat(stats, 4),
      await observationThat(new AgentError('connection', 'Slow.'), 5),
      await observationThat(new AgentError('cancelled', 'Cut.'), 5000),
    ],
    [
      {
        observation: { kind: 'sample', askedAt: 0, at: 4, figures: stats.figures },
        response: stats.response,
      },
      { observation: { kind: 'failure', askedAt: 4, at: 9, message: 'Slow.' } },
      { observation: { kind: 'failure', askedAt: 9, at: 5009, message } },
    ],
  );
});

test('takeSamples throws errors that are bugs', async () => {
  await assert.rejects(sample({ errors: [new TypeError('a bug')] }), /a bug/);
});

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});
