import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFigure } from '../../src/gate/exact-number.ts';
import { gateOf } from '../../src/gate/judge.ts';
import { figures, parse } from './given.ts';

const SAMPLES = [figures({ mem_used_pct: 40, cpu_count: 4n }), figures({ mem_used_pct: 60, cpu_count: 4n })];

/** The gate of conditions, its breaches in short. */
function gate(failIf: readonly string[], warnIf: readonly string[], samples = SAMPLES) {
  const { state, conditions, breaches } = gateOf(
    { failIf: failIf.map(parse), warnIf: warnIf.map(parse) },
    samples,
  );
  return {
    state,
    conditions: conditions.map(({ text }) => text),
    breaches: breaches.map(breach => ({
      level: breach.level,
      condition: breach.condition.text,
      figure: breach.holds === undefined ? undefined : toFigure(breach.figure),
      reported: breach.holds === undefined ? breach.reported : [],
    })),
  };
}

describe('the gate', () => {
  test('is none without conditions, whatever the samples', () => {
    const none = { state: 'none', conditions: [], breaches: [] };
    assert.deepEqual(gate([], []), none);
    assert.deepEqual(gate([], [], []), none);
  });

  test('passes where no condition holds, and keeps them', () => {
    assert.deepEqual(gate(['mem_used_pct > 60'], ['mem_used_pct < 40']), {
      state: 'passed',
      conditions: ['mem_used_pct > 60', 'mem_used_pct < 40'],
      breaches: [],
    });
  });

  test('warns where a warn-if holds', () => {
    const { state, breaches } = gate(['mem_used_pct > 90'], ['mem_used_pct > 50']);
    assert.equal(state, 'warned');
    assert.deepEqual(breaches, [
      { level: 'warn', condition: 'mem_used_pct > 50', figure: 60n, reported: [] },
    ]);
  });

  test('fails where any fail-if holds, and names every condition that tripped', () => {
    const { state, breaches } = gate(
      ['mem_used_pct > 90', 'mem_used_pct.mean >= 50', 'cpu_count == 4'],
      ['mem_used_pct > 50', 'cpu_count > 4'],
    );
    assert.equal(state, 'failed');
    assert.deepEqual(
      breaches.map(({ level, condition, figure }) => [level, condition, figure]),
      [
        ['fail', 'mem_used_pct.mean >= 50', 50n],
        ['fail', 'cpu_count == 4', 4n],
        ['warn', 'mem_used_pct > 50', 60n],
      ],
    );
  });
});

describe('what cannot be judged', () => {
  const reported = ['cpu_count', 'mem_used_pct'];

  test('fails closed in fail-if, whatever the operator, and names what was reported', () => {
    for (const line of ['mem_cache > 1', 'mem_cache < 1', 'mem_cache != 1', 'disk_free.mean < 1GiB']) {
      const found = gate([line], []);
      assert.equal(found.state, 'failed');
      assert.deepEqual(found.breaches, [{ level: 'fail', condition: line, figure: undefined, reported }]);
    }
  });

  test('warns in warn-if', () => {
    const found = gate(['mem_used_pct > 99'], ['mem_cache > 1']);
    assert.equal(found.state, 'warned');
    assert.deepEqual(found.breaches, [
      { level: 'warn', condition: 'mem_cache > 1', figure: undefined, reported },
    ]);
  });

  test('is every condition where there is no sample', () => {
    assert.equal(gate(['mem_used_pct > 1'], [], []).state, 'failed');
    assert.equal(gate([], ['mem_used_pct > 1'], []).state, 'warned');
  });
});
