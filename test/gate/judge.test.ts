import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFigure } from '../../src/gate/exact-number.ts';
import { gateOf, type Judgement, judge } from '../../src/gate/judge.ts';
import type { Figure } from '../../src/gate/metrics.ts';
import { figures, parse, samplesOf } from './given.ts';

/** What a judgement says beside its condition: the figure, or the metrics reported where there is none. */
function found(judgement: Judgement): Figure | readonly string[] {
  return judgement.holds === undefined ? judgement.reported : toFigure(judgement.figure);
}

describe('the figure that decides', () => {
  const cases: readonly (readonly [line: string, values: readonly Figure[], holds: boolean, figure: Figure])[] = [
    // Of several that satisfy a bare condition, the farthest from its limit; for == and != the first.
    ['load > 7', [1n, 9n, 8n, 2n], true, 9n],
    ['load >= 8', [8n, 9n, 2n], true, 9n],
    ['load < 1', [5n, 0n, -2n], true, -2n],
    ['load <= 3', [3n, 5.5, 8n], true, 3n],
    ['load == 5.5', [3n, 5.5, 8n], true, 5.5],
    ['load != 3', [3n, 5.5, 8n], true, 5.5],
    // The last where none does.
    ['load > 8', [8n, 3n, 5n], false, 5n],
    ['load < 3', [8n, 3n, 5n], false, 5n],
    ['load == 4', [8n, 3n, 5n], false, 5n],
    // The aggregate, whether or not it does.
    ['load.last >= 6', [4n, 10n, 1n, 6n], true, 6n],
    ['load.min > 1', [4n, 10n, 1n, 6n], false, 1n],
    ['load.max != 10', [4n, 10n, 1n, 6n], false, 10n],
    ['load.mean == 5.25', [4n, 10n, 1n, 6n], true, 5.25],
  ];
  for (const [line, values, holds, figure] of cases) {
    test(`of ${line} over ${values.join(', ')} is ${figure}`, () => {
      const judgement = judge(parse(line), samplesOf('load', values));
      assert.deepEqual([judgement.holds, found(judgement)], [holds, figure]);
    });
  }
});

describe('the gate', () => {
  const samples = [40, 60].map(mem_used_pct => figures({ mem_used_pct, cpu_count: 4n }));
  const reported = ['cpu_count', 'mem_used_pct'];

  /** Its state, and its breaches in short. */
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
    const breach = ['warn', 'mem_used_pct > 50', 60n];
    assert.deepEqual(gate(['mem_used_pct > 90'], ['mem_used_pct > 50']), ['warned', breach]);
    assert.deepEqual(gate([], ['mem_used_pct > 50']), ['warned', breach]);
  });

  test('fails where any fail-if holds, and names every condition that tripped', () => {
    const failIf = ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'];
    assert.deepEqual(gate(failIf, ['mem_used_pct > 50', 'cpu_count > 4']), [
      'failed',
      ['fail', 'mem_used_pct.mean >= 50', 50n],
      ['fail', 'cpu_count == 4', 4n],
      ['warn', 'mem_used_pct > 50', 60n],
    ]);
  });

  test('trips over a metric that any sample does not report, in all aggregates', () => {
    for (const aggregate of ['', '.last', '.min', '.max', '.mean']) {
      for (const values of [
        [undefined, 1n, 1n],
        [1n, undefined, 1n],
        [1n, 1n, undefined],
      ]) {
        const line = `load${aggregate} > 1`;
        assert.deepEqual(gate([line], [], samplesOf('load', values)), ['failed', ['fail', line, ['ts']]]);
      }
    }
  });

  test('passes nothing where the samples do not cover the time', () => {
    const state = (failIf: string[], warnIf: string[]) =>
      gateOf({ failIf: failIf.map(parse), warnIf: warnIf.map(parse) }, samples, true).state;
    const line = 'cpu_count > 9';
    assert.deepEqual([state([line], []), state([], [line]), state([], [])], ['failed', 'warned', 'none']);
  });

  test('trips over what cannot be judged, whatever the operator, and names what was reported', () => {
    for (const line of ['mem_cache > 1', 'mem_cache < 1', 'mem_cache != 1', 'disk_free.mean < 1GiB']) {
      assert.deepEqual(gate([line], []), ['failed', ['fail', line, reported]]);
      assert.deepEqual(gate([], [line]), ['warned', ['warn', line, reported]]);
    }
    assert.deepEqual(gate(['a > 1'], [], []), ['failed', ['fail', 'a > 1', []]]);
  });
});
