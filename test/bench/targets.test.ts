import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Row } from '../../bench/results.ts';
import { median } from '../../bench/statistics.ts';
import { judge } from '../../bench/targets.ts';

const ROW: Row = {
  workload: 'small',
  title: '2,000 × 4 KiB',
  latencyMs: 0,
  contender: 'action',
  kind: 'action',
  files: 2000,
  bytes: 2000 * 4096,
  sample: null,
  roundsMs: [100],
  medianMs: 100,
  peakBytes: 100 * 1024 ** 2,
  sinkBusy: 0.1,
  requests: 2000,
  connections: 10,
};
const CURL: Row = { ...ROW, contender: 'curl -Z', kind: 'curl -Z' };

function found(what: RegExp, rows: readonly Row[]) {
  const target = judge({ rows, coldStarts: [] }).find(each => what.test(each.what));
  return { value: target?.value, reached: target?.reached };
}

describe('a target', () => {
  const against = /^2,000 × 4 KiB: action ÷ curl/;

  test('is reached up to its limit, and not beyond', () => {
    assert.deepEqual(found(against, [{ ...ROW, medianMs: 110 }, CURL]), { value: 1.1, reached: true });
    assert.deepEqual(found(against, [{ ...ROW, medianMs: 120 }, CURL]), { value: 1.2, reached: false });
  });

  test('is open where one side was not measured', () => {
    assert.deepEqual(found(against, [ROW]), { value: null, reached: null });
  });

  test('takes the fastest of several others', () => {
    const rows = [ROW, CURL, { ...CURL, contender: 'e2b list', kind: 'e2b list', medianMs: 50 }];
    const distant = rows.map(row => ({ ...row, latencyMs: 20 }));
    assert.deepEqual(found(/20 ms latency/, distant), { value: 2, reached: false });
  });

  test('counts memory by the file', () => {
    const many = { ...ROW, workload: 'many', files: 20_000, peakBytes: 100 * 1024 ** 2 + 18_000 * 1024 };
    assert.deepEqual(found(/^memory per file/, [ROW, many]), { value: 1024, reached: true });
    assert.deepEqual(found(/^memory per file/, [ROW, { ...many, peakBytes: null }]), {
      value: null,
      reached: null,
    });
  });
});

test('the median is the middle, or between the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([10, 1, 2, 4]), 3);
});
