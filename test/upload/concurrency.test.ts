import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { adaptConcurrency } from '../../src/upload/concurrency.ts';

const OVERLOADS = [
  new AgentError('busy', 'Later.', { status: 429 }),
  new AgentError('server', 'No.', { status: 503 }),
  new AgentError('connection', 'Reset.'),
  new AgentError('unreachable', 'Refused.'),
  new AgentError('stalled', 'Silence.'),
];

test('a fixed concurrency never changes', () => {
  const concurrency = adaptConcurrency(5, () => assert.fail('it changed'));
  concurrency.begin()();
  concurrency.begin()(OVERLOADS[0]);
  assert.equal(concurrency.limit.concurrency, 5);
});

test('auto concurrency grows by one with each success, from 8 up to 24', () => {
  const changes: number[] = [];
  const concurrency = adaptConcurrency('auto', ({ to }) => changes.push(to));
  assert.equal(concurrency.limit.concurrency, 8);
  for (let count = 0; count < 30; count += 1) concurrency.begin()();
  assert.deepEqual(changes, [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
});

for (const error of OVERLOADS) {
  test(`auto concurrency halves at a failure of kind ${error.kind}, down to one`, () => {
    const changes: unknown[] = [];
    const reason = error.message;
    const concurrency = adaptConcurrency('auto', change => changes.push(change));
    for (let count = 0; count < 5; count += 1) concurrency.begin()(error);
    assert.deepEqual(changes, [
      { from: 8, to: 4, reason },
      { from: 4, to: 2, reason },
      { from: 2, to: 1, reason },
    ]);
  });
}

test('auto concurrency halves once for requests that began before the last halving', () => {
  const concurrency = adaptConcurrency('auto', () => {});
  const ends = Array.from({ length: 8 }, () => concurrency.begin());
  for (const end of ends) end(OVERLOADS[0]);
  assert.equal(concurrency.limit.concurrency, 4);
});

test('auto concurrency grows by one a round after an overload', () => {
  const concurrency = adaptConcurrency('auto', () => {});
  concurrency.begin()(OVERLOADS[0]);
  const limits = Array.from({ length: 9 }, () => {
    concurrency.begin()();
    return concurrency.limit.concurrency;
  });
  assert.deepEqual(limits, [4, 4, 4, 5, 5, 5, 5, 5, 6]);
});

test('auto concurrency takes no other failure for an overload', () => {
  const concurrency = adaptConcurrency('auto', () => {});
  concurrency.begin()(new AgentError('not-found', 'No.', { status: 404 }));
  concurrency.begin()(new AgentError('server', 'No.', { status: 500 }));
  assert.equal(concurrency.limit.concurrency, 8);
});
