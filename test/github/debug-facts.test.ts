import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { factLog } from '../../src/github/debug-facts.ts';
import type { Fact } from '../../src/run/fact.ts';

/** The lines for some facts, one after the other. */
function linesFor(facts: readonly Fact[]): string[] {
  const lines: string[] = [];
  const { fact, end } = factLog((...more) => void lines.push(...more));
  for (const each of facts) fact(each);
  end();
  return lines;
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const REQUEST = { method: 'POST', path: '/files?path=a', durationMs: 12, sentBytes: 4096 };
const WELL: Fact = { kind: 'request', request: { ...REQUEST, status: 200, error: undefined } };

describe('facts in the debug log', () => {
  test('a request that succeeded', () => {
    assert.deepEqual(linesFor([WELL]), ['POST /files?path=a → 200 in 12 ms, 4,096 bytes sent']);
  });

  test('a request that failed, with all that lies behind it', () => {
    const tries = [new Error('one'), new Error('two')];
    const several = Object.assign(new AggregateError(tries, ''), { code: 'ETIMEDOUT' });
    const cause = new TypeError('fetch failed', { cause: several });
    const error = new AgentError('unreachable', 'It failed.', { cause });
    assert.deepEqual(linesFor([{ kind: 'request', request: { ...REQUEST, status: undefined, error } }]), [
      'POST /files?path=a → no answer in 12 ms, 4,096 bytes sent: unreachable. It failed.',
      '- because of TypeError: fetch failed',
      '- because of AggregateError ETIMEDOUT:  Error: one; Error: two',
    ]);
  });

  test('of each kind the first 200, and how many more there were', () => {
    const connection: Fact = { kind: 'connection', connection: { family: 'IPv6', tls: 'TLSv1.3' } };
    const lines = linesFor([...times(201, () => connection), ...times(1500, () => WELL)]);
    assert.equal(lines.length, 402);
    assert.equal(lines[0], 'Connection: opened, IPv6, TLSv1.3');
    assert.deepEqual(lines.slice(-2), [
      'Not shown: 1 further connection',
      'Not shown: 1,300 further requests',
    ]);
  });

  test('what a monitor recorded, with the first failures', () => {
    const gaps = times(22, at => ({ at, what: 'no answer' }));
    const lines = linesFor([{ kind: 'record', record: { samples: [], gaps, end: undefined } }]);
    assert.deepEqual(
      [lines[0], lines[1], ...lines.slice(21)],
      [
        'Monitor: 0 samples, 22 failed readings',
        '- 1970-01-01T00:00:00.000Z: no answer',
        'Not shown: 2 further failed readings',
        'Monitor: ended at a time unknown',
      ],
    );
  });

  test('a reading of a sandbox that reports without end', () => {
    const figures = new Map(times(1000, index => [`m${index}`, BigInt(index)] as const));
    const [line = ''] = linesFor([{ kind: 'reading', stats: { figures, json: '', warnings: [] } }]);
    assert.match(line, /^Reading: m0 0, m1 1, .*, m29 29$/);
  });
});
