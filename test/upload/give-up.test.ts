import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { type Request, simulate } from './simulated.ts';
import { file, files } from './transferring.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const busy = (status: number) => new AgentError('busy', `It answered ${status}.`, { status });

const isOneOf = ({ files: sent }: Request, bad: readonly string[]) =>
  sent.some(({ target }) => bad.includes(target));

function countOf({ files: results }: { files: readonly { status: string }[] }, status: string) {
  return results.filter(each => each.status === status).length;
}

describe('a transfer', () => {
  test('is given up a minute after the last arrival if the agent answers 503 for ever', async () => {
    const ended = await simulate(files(5000), { takesMs: 20, failure: () => busy(503) });
    assert.match(ended.gaveUp ?? '', /^nothing has arrived for 1 min; .*It answered 503\.$/);
    assert.ok(ended.tookMs >= MINUTE && ended.tookMs < 1.5 * MINUTE, `${ended.tookMs} ms`);
    assert.ok(ended.requests < 400, `${ended.requests} requests`);
    assert.ok(countOf(ended, 'not-attempted') > 4800);
  });

  test('is given up if the agent never answers', async () => {
    const failure = () => new AgentError('stalled', 'No answer.');
    const ended = await simulate(files(300), { takesMs: MINUTE, failure });
    assert.ok(ended.gaveUp !== undefined);
    // Five attempts of a minute each, twice.
    assert.ok(ended.tookMs < 12 * MINUTE, `${ended.tookMs} ms`);
  });

  test('is given up if the agent asks for a minute before each attempt', async () => {
    const failure = () => new AgentError('busy', 'Later.', { status: 429, retryAfterMs: MINUTE });
    const ended = await simulate(files(2000), { takesMs: 20, failure });
    assert.ok(ended.gaveUp !== undefined);
    assert.ok(ended.tookMs < 12 * MINUTE, `${ended.tookMs} ms`);
  });

  test('is given up as soon if small files share requests', async () => {
    const failure = () => new AgentError('busy', 'Later.', { status: 429, retryAfterMs: MINUTE });
    const ended = await simulate(files(5000), { takesMs: 20, failure }, { filesPerRequest: 250 });
    assert.ok(ended.gaveUp !== undefined);
    assert.ok(ended.tookMs < 12 * MINUTE, `${ended.tookMs} ms`);
  });

  test('sends every good file among 30 neighbors that always fail', async () => {
    const planned = files(1000);
    const bad = planned.slice(100, 130).map(({ target }) => target);
    const failure = (request: Request) => (isOneOf(request, bad) ? busy(500) : undefined);
    const ended = await simulate(planned, { takesMs: 20, failure });
    assert.equal(ended.gaveUp, undefined);
    assert.deepEqual([countOf(ended, 'uploaded'), countOf(ended, 'failed')], [970, 30]);
  });

  test('sends every good file if a few at the end always fail', async () => {
    const planned = files(40);
    const bad = planned.slice(20).map(({ target }) => target);
    const failure = (request: Request) => (isOneOf(request, bad) ? busy(500) : undefined);
    const ended = await simulate(planned, { takesMs: 20, failure });
    assert.equal(countOf(ended, 'uploaded'), 20);
    assert.equal(countOf(ended, 'failed'), 20);
  });

  for (const [outageMs, lost] of [
    [2 * SECOND, 0],
    [50 * SECOND, 100],
  ] as const) {
    test(`survives an outage of ${outageMs / SECOND} s`, async () => {
      const isDown = (at: number) => at >= SECOND && at < SECOND + outageMs;
      const reset = () => new AgentError('connection', 'The connection was reset.');
      const failure = ({ at }: Request) => (isDown(at) ? reset() : undefined);
      const ended = await simulate(files(2000), { takesMs: 20, failure });
      assert.equal(ended.gaveUp, undefined);
      assert.ok(countOf(ended, 'failed') <= lost, `${countOf(ended, 'failed')} lost`);
      assert.equal(countOf(ended, 'not-attempted'), 0);
    });
  }

  test('loses nothing if the sandbox takes four requests at once', async () => {
    const failure = ({ inFlight }: Request) => (inFlight > 4 ? busy(429) : undefined);
    const ended = await simulate(files(2000), { takesMs: 20, failure });
    assert.equal(countOf(ended, 'uploaded'), 2000);
    assert.ok(ended.requests < 2400, `${ended.requests} requests`);
  });

  test('is not given up for files that change, or that the agent refuses', async () => {
    for (const kind of ['file-changed', 'not-found', 'too-large', 'rejected'] as const) {
      const failure = ({ files: sent }: Request) =>
        sent[0]?.target === 'last' ? undefined : new AgentError(kind, 'No.');
      const planned = [...files(50), file('last')];
      const ended = await simulate(planned, { takesMs: 10 * SECOND, failure });
      assert.deepEqual([ended.gaveUp, countOf(ended, 'failed')], [undefined, 50], kind);
      assert.equal(countOf(ended, 'uploaded'), 1, kind);
    }
  });
});
