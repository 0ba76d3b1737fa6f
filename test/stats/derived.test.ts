import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Figure } from '../../src/gate/metrics.ts';
import { decodeStats } from '../../src/stats/decode.ts';

function figuresOf(json: string): Record<string, Figure> {
  return Object.fromEntries(decodeStats(json).figures);
}

const ALL = {
  ts: 1n,
  cpu_count: 2n,
  cpu_used_pct: 3.5,
  mem_total: 400n,
  mem_used: 100n,
  mem_total_mib: 5n,
  mem_used_mib: 6n,
  disk_total: 800n,
  disk_used: 200n,
};
const DERIVED = { mem_used_pct: 25, mem_free: 300n, disk_used_pct: 25, disk_free: 600n };
const JSON_OF_ALL = `{${Object.entries(ALL)
  .map(([name, value]) => `"${name}":${value}`)
  .join(',')}}`;

test('all fields are read, and four are derived', () => {
  assert.deepEqual(figuresOf(JSON_OF_ALL), { ...ALL, ...DERIVED });
});

for (const missing of Object.keys(ALL)) {
  test(`without ${missing} the others are read`, () => {
    const json = JSON_OF_ALL.replace(new RegExp(`"${missing}":[^,}]*,?`), '').replace(',}', '}');
    const gone = (name: string) =>
      name === missing || (/_(total|used)$/.test(missing) && name in DERIVED && name[0] === missing[0]);
    const expected = Object.entries({ ...ALL, ...DERIVED }).filter(([name]) => !gone(name));
    assert.deepEqual(figuresOf(json), Object.fromEntries(expected));
  });
}

describe('the derived share', () => {
  const cases: readonly (readonly [used: bigint, total: bigint, percent: number])[] = [
    [0n, 7n, 0],
    [7n, 7n, 100],
    [1n, 3n, 33.33],
    [2n, 3n, 66.67],
    [1n, 800n, 0.13],
    [1n, 20_000n, 0.01],
    [1n, 20_001n, 0],
    [999_949n, 1_000_000n, 99.99],
    [999_950n, 1_000_000n, 100],
    [2n ** 63n - 1n, 2n ** 63n - 1n, 100],
    [2n ** 62n, 2n ** 63n - 1n, 50],
    [9n, 8n, 112.5],
  ];
  for (const [used, total, percent] of cases) {
    test(`of ${used} in ${total} is ${percent} %`, () => {
      const figures = figuresOf(`{"mem_used":${used},"mem_total":${total}}`);
      assert.equal(figures['mem_used_pct'], percent);
      assert.equal(figures['mem_free'], total - used);
    });
  }

  test('there is none of a total of 0', () => {
    assert.deepEqual(figuresOf('{"mem_used":0,"mem_total":0,"disk_used":1,"disk_total":0}'), {
      mem_used: 0n,
      mem_total: 0n,
      disk_used: 1n,
      disk_total: 0n,
    });
  });

  test('it replaces what the service sends under its name', () => {
    const json = '{"mem_used":1,"mem_total":4,"mem_used_pct":99,"mem_free":99}';
    assert.deepEqual(figuresOf(json), { mem_used: 1n, mem_total: 4n, mem_used_pct: 25, mem_free: 3n });
  });
});
