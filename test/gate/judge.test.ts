import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFigure } from '../../src/gate/exact-number.ts';
import { judge } from '../../src/gate/judge.ts';
import type { Figure } from '../../src/gate/metrics.ts';
import { figures, parse, samplesOf } from './given.ts';

/** What a condition on `load` comes to over samples of it. */
function judged(line: string, values: readonly (Figure | undefined)[]) {
  const judgement = judge(parse(line), samplesOf('load', values));
  return judgement.holds === undefined
    ? { holds: undefined }
    : { holds: judgement.holds, figure: toFigure(judgement.figure) };
}

describe('a bare metric holds if any sample does', () => {
  const rising = [3n, 5.5, 8n];
  const cases: Readonly<Record<string, readonly [holds: boolean, figure?: Figure]>> = {
    'load > 7': [true, 8n],
    'load > 8': [false],
    'load >= 8': [true, 8n],
    'load < 4': [true, 3n],
    'load < 3': [false],
    'load <= 3': [true, 3n],
    'load == 5.5': [true, 5.5],
    'load == 5': [false],
    'load != 3': [true, 5.5],
  };
  for (const [line, [holds, figure]] of Object.entries(cases)) {
    test(line, () => {
      const found = judged(line, rising);
      assert.equal(found.holds, holds);
      if (holds) assert.equal(found.figure, figure);
    });
  }

  test('wherever it stands', () => {
    assert.deepEqual(judged('load > 7', [8n, 1n, 2n]), { holds: true, figure: 8n });
    assert.deepEqual(judged('load > 7', [1n, 9n, 8n, 2n]), { holds: true, figure: 9n });
    assert.deepEqual(judged('load < 1', [5n, -2n, 0n]), { holds: true, figure: -2n });
    assert.equal(judged('load != 5', [5n, 5n]).holds, false);
  });
});

describe('an aggregate chooses the one figure that counts', () => {
  const values = [4n, 10n, 1n, 6n];
  const chosen = { last: 6n, min: 1n, max: 10n, mean: 5.25 };
  for (const [aggregate, figure] of Object.entries(chosen)) {
    test(aggregate, () => {
      assert.deepEqual(judged(`load.${aggregate} == ${figure}`, values), { holds: true, figure });
      assert.deepEqual(judged(`load.${aggregate} != ${figure}`, values), { holds: false, figure });
      assert.deepEqual(judged(`load.${aggregate} > ${figure}`, values), { holds: false, figure });
      assert.deepEqual(judged(`load.${aggregate} >= ${figure}`, values), { holds: true, figure });
    });
  }

  test('of a single sample is that sample', () => {
    for (const aggregate of Object.keys(chosen))
      assert.deepEqual(judged(`load.${aggregate} == 4`, [4n]), { holds: true, figure: 4n });
  });
});

describe('samples that do not report the metric', () => {
  test('do not count', () => {
    const gaps = [undefined, 4n, undefined, 8n, undefined];
    assert.deepEqual(judged('load.mean == 6', gaps), { holds: true, figure: 6n });
    assert.deepEqual(judged('load.last == 8', gaps), { holds: true, figure: 8n });
    assert.deepEqual(judged('load.min == 4', gaps), { holds: true, figure: 4n });
    assert.equal(judged('load < 1', gaps).holds, false);
  });

  test('leave nothing to judge if all are such, and those reported are named, sorted, once', () => {
    const samples = [figures({ b: 1n, a: 2n }), figures({ a: 3n, c: 0.5 })];
    for (const line of ['load > 1', 'load != 1', 'load.max < 1']) {
      const condition = parse(line);
      assert.deepEqual(judge(condition, samples), { condition, holds: undefined, reported: ['a', 'b', 'c'] });
    }
  });

  test('without any sample there is nothing to name', () => {
    const condition = parse('load > 1');
    assert.deepEqual(judge(condition, []), { condition, holds: undefined, reported: [] });
  });
});

describe('comparing is exact', () => {
  const near = 2n ** 53n;
  const last = 2n ** 63n - 1n;
  const cases: readonly (readonly [line: string, figure: Figure, holds: boolean])[] = [
    [`load == ${near + 1n}`, near + 1n, true],
    [`load == ${near + 1n}`, near, false],
    [`load > ${near}`, near + 1n, true],
    [`load != ${last}`, last - 1n, true],
    [`load < ${last}`, last - 1n, true],
    [`load >= ${last}`, last, true],
    [`load > ${last - 1n}.5`, last, true],
    ['load == 0.1', 0.1, true],
    ['load > 0.1', 0.1, false],
    ['load > 0.30', 0.1 + 0.2, true],
    ['load >= 90.50', 90.5, true],
    ['load == 1e3', 1000n, true],
    ['load == 4.0', 4n, true],
  ];
  for (const [line, figure, holds] of cases) {
    test(`${line} for ${figure} is ${holds}`, () => assert.equal(judged(line, [figure]).holds, holds));
  }

  test('against MiB, where a limit is a part of one', () => {
    const used = (line: string, mib: bigint) => judge(parse(line), samplesOf('mem_used_mib', [mib])).holds;
    assert.equal(used('mem_used_mib > 1.5GiB', 1536n), false);
    assert.equal(used('mem_used_mib > 1.5GiB', 1537n), true);
    assert.equal(used('mem_used_mib == 1GiB', 1024n), true);
    assert.equal(used('mem_used_mib > 1B', 0n), false);
    assert.equal(used('mem_used_mib > 1B', 1n), true);
    assert.equal(used('mem_used_mib >= 1GB', 953n), false);
    assert.equal(used('mem_used_mib >= 1GB', 954n), true);
  });
});
