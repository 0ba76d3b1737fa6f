import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { median, type Row } from '../../dev/bench/results.ts';
import { judge } from '../../dev/bench/targets.ts';

const ROW: Row = {
  workload: 'small',
  title: '2,000 × 4 KiB',
  place: '',
  lineMs: null,
  contender: 'action',
  kind: 'action',
  files: 2000,
  bytes: 2000 * 4096,
  sample: null,
  roundsMs: [100],
  medianMs: 100,
  peakBytes: 100 * 1024 ** 2,
  serverBusy: 0.1,
  requests: 2000,
  connections: 10,
};
const CURL: Row = { ...ROW, contender: 'curl -Z', kind: 'curl -Z' };
const SHARED: Row = { ...ROW, contender: 'action, files-per-request: 1', medianMs: 1 };
const LIST: Row = {
  ...ROW,
  contender: 'e2b files.write, one list',
  kind: 'e2b list',
  medianMs: 200,
};
const MIB = 1024 ** 2;

function found(what: string, rows: readonly Row[], samplerPeakBytes: number | null = null) {
  const target = judge({ rows, coldStarts: [], samplerPeakBytes }).find(each => each.what === what);
  return [target?.value, target?.reached];
}

describe('a target', () => {
  const against = '2,000 × 4 KiB: action ÷ curl -Z';

  test('is reached up to its limit, and not beyond, by the action as it comes', () => {
    assert.deepEqual(found(against, [SHARED, { ...ROW, medianMs: 250 }, CURL]), [2.5, true]);
    assert.deepEqual(found(against, [SHARED, { ...ROW, medianMs: 260 }, CURL]), [2.6, false]);
  });

  test('is open where one side was not measured', () => {
    assert.deepEqual(found(against, [ROW]), [null, null]);
    assert.deepEqual(
      found('4 GiB: memory of action', [{ ...ROW, workload: 'huge', peakBytes: null }]),
      [null, null],
    );
  });

  test('takes the rows of its place, and of several rivals the fastest', () => {
    const at = (place: string, row: Row, medianMs: number): Row => ({ ...row, place, medianMs });
    const there = 'TLS, 20 ms latency';
    const rows = [
      ROW,
      CURL,
      at(there, ROW, 80),
      at(there, CURL, 160),
      at(there, LIST, 100),
      at('TLS', LIST, 1),
    ];
    assert.deepEqual(found(`2,000 × 4 KiB, ${there}: action ÷ fastest other`, rows), [0.8, true]);
    assert.deepEqual(found('2,000 × 4 KiB: action ÷ e2b list', [ROW, CURL, LIST]), [0.5, true]);
  });

  test('can be the time that a line takes', () => {
    const row = { ...ROW, workload: 'uplink', place: '100 Mbit/s', lineMs: 80 };
    assert.deepEqual(found('mixed sizes, 100 Mbit/s: action ÷ the line', [row]), [1.25, false]);
  });

  test('can be an amount of memory', () => {
    const large = { ...ROW, workload: 'large', peakBytes: 111 * MIB };
    assert.deepEqual(found('1 GiB: memory of action', [large]), [111 * MIB, false]);
    assert.deepEqual(found("memory of the monitor's sampler", [], 70 * MIB), [70 * MIB, true]);
  });

  test('of the cold start is in relation to that of Node', () => {
    const start = (entry: string, medianMs: number) => ({
      entry,
      what: '',
      roundsMs: [],
      medianMs,
    });
    const coldStarts = [start('node -e 0', 10), start('stats', 43)];
    const [target] = judge({ rows: [], coldStarts, samplerPeakBytes: null }).filter(
      ({ what }) => what === 'cold start: stats ÷ node -e 0',
    );
    assert.deepEqual([target?.value, target?.reached], [4.3, true]);
  });
});

test('the median is the middle, or between the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([10, 1, 2, 4]), 3);
});
