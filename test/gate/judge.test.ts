import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gateOf, type Judgement, judge } from '../../src/gate/judge.ts';
import { figures, parse, samplesOf } from './given.ts';

/** The figure of a judgement, or the reported metrics without one. */
function found(judgement: Judgement): number | readonly string[] {
  return judgement.holds === undefined ? judgement.reported : judgement.figure;
}

describe('the figure that decides', () => {
  const cases: readonly (readonly [
    line: string,
    values: readonly number[],
    holds: boolean,
    figure: number,
  ])[] = [
    // Of several figures that satisfy it, the extreme; for == and != the first.
    ['load > 7', [1, 9, 8, 2], true, 9],
    ['load >= 8', [8, 9, 2], true, 9],
    ['load < 1', [5, 0, -2], true, -2],
    ['load <= 3', [3, 5.5, 8], true, 3],
    ['load == 5.5', [3, 5.5, 8], true, 5.5],
    ['load != 3', [3, 5.5, 8], true, 5.5],
    // The last figure if none satisfies it.
    ['load > 8', [8, 3, 5], false, 5],
    ['load < 3', [8, 3, 5], false, 5],
    ['load == 4', [8, 3, 5], false, 5],
    // The aggregate in any case.
    ['load.last >= 6', [4, 10, 1, 6], true, 6],
    ['load.min > 1', [4, 10, 1, 6], false, 1],
    ['load.max != 10', [4, 10, 1, 6], false, 10],
    ['load.mean == 5.25', [4, 10, 1, 6], true, 5.25],
  ];
  for (const [line, values, holds, figure] of cases) {
    test(`of ${line} over ${values.join(', ')} is ${figure}`, () => {
      const judgement = judge(parse(line), samplesOf('load', values));
      assert.deepEqual([judgement.holds, found(judgement)], [holds, figure]);
    });
  }
});

describe('numbers are judged by their digits:', () => {
  const cases: readonly (readonly [line: string, values: readonly number[], holds: boolean])[] = [
    ['load > 0.3', [0.3], false],
    ['load == 0.30000000000000004', [0.1 + 0.2], true],
    ['load == 0.3', [0.1 + 0.2], false],
    // 1.005 * 1000 is 1004.9999999999999.
    ['mem_used > 1.005kB', [1005], false],
    ['mem_used >= 1.005kB', [1005], true],
    ['mem_used < 1.1GiB', [1_181_116_006], true],
    ['mem_used > 1.1GiB', [1_181_116_007], true],
    ['mem_used_mib >= 1.048576MB', [1], true],
    ['mem_used == 9007199254740991B', [2 ** 53 - 1], true],
    ['mem_used > 9007199254740990B', [2 ** 53 - 1], true],
    // (0.1 + 0.2) / 2 is 0.15000000000000002, and (0.1 + 0.1 + 0.1) / 3 is 0.10000000000000002.
    ['load.mean > 0.15', [0.1, 0.2], false],
    ['load.mean > 0.1', [0.1, 0.1, 0.1], false],
    ['load.mean == 66.67', [66.67, 66.66, 66.68], true],
    ['load.mean == 9007199254740991', [2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 1], true],
  ];
  for (const [line, values, holds] of cases) {
    test(`${line} over ${values.join(', ')} is ${holds}`, () => {
      const { metric } = parse(line);
      assert.equal(judge(parse(line), samplesOf(metric, values)).holds, holds);
    });
  }
});

describe('the gate', () => {
  const samples = [40, 60].map(mem_used_pct => figures({ mem_used_pct, cpu_count: 4 }));
  const reported = ['cpu_count', 'mem_used_pct'];

  /** A gate's state and its breaches in short. */
  function gate(failIf: readonly string[], warnIf: readonly string[], over = samples) {
    const rules = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
    const { state, breaches, failIf: failing, warnIf: warning } = gateOf(rules, over);
    assert.deepEqual({ failIf: failing, warnIf: warning }, rules);
    return [state, ...breaches.map(breach => [breach.level, breach.condition.text, found(breach)])];
  }

  test('is none without conditions', () => assert.deepEqual(gate([], []), ['none']));

  test('passes where no condition holds', () => {
    assert.deepEqual(gate(['mem_used_pct > 60'], ['mem_used_pct < 40']), ['passed']);
  });

  test('warns where a warn-if holds', () => {
    const breach = ['warn', 'mem_used_pct > 50', 60];
    assert.deepEqual(gate(['mem_used_pct > 90'], ['mem_used_pct > 50']), ['warned', breach]);
    assert.deepEqual(gate([], ['mem_used_pct > 50']), ['warned', breach]);
  });

  test('fails where any fail-if holds, and names every condition that tripped', () => {
    const failIf = ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'];
    assert.deepEqual(gate(failIf, ['mem_used_pct > 50', 'cpu_count > 4']), [
      'failed',
      ['fail', 'mem_used_pct.mean >= 50', 50],
      ['fail', 'cpu_count == 4', 4],
      ['warn', 'mem_used_pct > 50', 60],
    ]);
  });

  test('trips over a metric that any sample does not report, in all aggregates', () => {
    for (const aggregate of ['', '.last', '.min', '.max', '.mean']) {
      for (const values of [
        [undefined, 1, 1],
        [1, undefined, 1],
        [1, 1, undefined],
      ]) {
        const line = `load${aggregate} > 1`;
        assert.deepEqual(gate([line], [], samplesOf('load', values)), [
          'failed',
          ['fail', line, ['ts']],
        ]);
      }
    }
  });

  test('passes nothing where the samples do not cover the time', () => {
    const state = (failIf: string[], warnIf: string[]) =>
      gateOf({ failIf: failIf.map(parse), warnIf: warnIf.map(parse) }, samples, true).state;
    const line = 'cpu_count > 9';
    assert.deepEqual(
      [state([line], []), state([], [line]), state([], [])],
      ['failed', 'warned', 'none'],
    );
  });

  test('trips over what cannot be judged, whatever the operator, and names what was reported', () => {
    for (const line of [
      'mem_cache > 1',
      'mem_cache < 1',
      'mem_cache != 1',
      'disk_free.mean < 1GiB',
    ]) {
      assert.deepEqual(gate([line], []), ['failed', ['fail', line, reported]]);
      assert.deepEqual(gate([], [line]), ['warned', ['warn', line, reported]]);
    }
    assert.deepEqual(gate(['a > 1'], [], []), ['failed', ['fail', 'a > 1', []]]);
  });
});
