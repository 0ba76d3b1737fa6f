import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRICS } from '../../src/gate/metrics.ts';
import { refusalOf } from './given.ts';

type Slip = readonly [line: string, column: number, says: RegExp];

const SLIPS: Readonly<Record<string, readonly Slip[]>> = {
  'a slip in a known metric is refused with the nearest one': [
    ['mem_used_pc > 90', 1, /^there is no metric mem_used_pc; did you mean mem_used_pct\?$/],
    ['mem_usd_pc > 90', 1, /did you mean mem_used_pct\?/],
    ['mem-used-pc > 90', 1, /did you mean mem_used_pct\?/],
    ['MEM_FREE < 1GiB', 1, /did you mean mem_free\?/],
    ['  disk_usedpct > 1', 3, /did you mean disk_used_pct\?/],
    ['mem > 1', 1, /did you mean mem_used_pct\?/],
    ['memory > 1', 1, /did you mean mem_used_pct\?/],
    ['memory_used_pct > 1', 1, /did you mean mem_used_pct\?/],
    ['cpu > 1', 1, /did you mean cpu_used_pct\?/],
    ['disk > 1', 1, /did you mean disk_used_pct\?/],
    ['disk-free < 1B', 1, /did you mean disk_free\?/],
  ],
  'what is no metric is refused with an example': [
    ['', 1, /^a metric was expected, such as mem_used_pct$/],
    ['90 < mem_used_pct', 1, /^a metric was expected, not 90 < mem_used_pct, such as/],
    ['ü > 1 ', 1, /^a metric was expected, not ü > 1, /],
  ],
  'an unknown aggregate is refused with the nearest, or all of them': [
    ['mem_used.mx > 1', 9, /^there is no aggregate mx; did you mean max\?$/],
    ['mem_used.LAST > 1', 9, /did you mean last\?/],
    ['mem_used.average > 1B', 9, /did you mean mean\?$/],
    ['mem_used.avg > 1B', 9, /did you mean mean\?$/],
    ['mem_used.peak > 1B', 9, /did you mean max\?$/],
    ['mem_used.sum > 1B', 9, /use one of last min max mean$/],
    ['mem_used. > 1', 9, /^an aggregate is missing; use one of last/],
    ['mem_used.max.min > 1', 13, /^there is no operator/],
  ],
  'an unknown operator is refused with the one meant, or all of them': [
    ['mem_used = 1', 10, /^there is no operator =; did you mean ==\?$/],
    ['mem_used => 1', 10, /did you mean >=\?/],
    ['mem_used =< 1', 10, /did you mean <=\?/],
    ['mem_used === 1', 10, /did you mean ==\?/],
    ['mem_used !== 1', 10, /did you mean !=\?/],
    ['mem_used <> 1', 10, /did you mean !=\?/],
    ['mem_used above 1', 10, /^there is no operator above; did you mean >\?$/],
    ['mem_used ≥ 1', 10, /^there is no operator ≥/],
    ['mem_used', 9, /^an operator is missing; use one of/],
    ['mem_used.max', 13, /^an operator is missing/],
  ],
  'what is no number is refused where it stands': [
    ['mem_used >', 11, /^nothing follows >: is the expression empty\?$/],
    ['mem_used_pct.max >=', 20, /^nothing follows >=: is the expression empty\?$/],
    ['mem_used > lots', 12, /^a number was expected, not lots, /],
    ['mem_used > 1.2.3', 12, /^a number was expected, not 1\.2\.3/],
    ['mem_used > .5', 12, /number was expected/],
    ['mem_used > 5.', 12, /number was expected/],
    ['mem_used > +5', 12, /number was expected/],
    ['load > 1e309', 8, /^1e309 is too large a number$/],
    ['mem_used > 1e9999GiB', 12, /^1e9999 is too large a number$/],
    ['mem_used > ٣', 12, /number was expected/],
  ],
  'an unknown unit is refused with the nearest, or all of them': [
    ['mem_used > 5 mb', 14, /^there is no unit mb; did you mean MB\?$/],
    ['mem_used > 5KB', 13, /did you mean kB\?/],
    ['mem_used > 5Gi', 13, /did you mean GiB\?/],
    ['mem_used > 5 PiB', 14, /did you mean \wiB\?/],
    ['mem_used > 5 bananas', 14, /use one of % B kB MB GB TB KiB MiB GiB TiB$/],
    ['mem_used > 1,000', 13, /no unit ,000/],
  ],
  'a second condition is refused': [
    [
      'mem_used > 5GiB and more',
      13,
      /^write one condition per line: put the rest on its own line$/,
    ],
    ['mem_used_pct > 90 && cpu_used_pct > 90', 19, /^write one condition per line/],
    ['mem_used_pct > 90% || cpu_used_pct > 90', 18, /^write one condition per line/],
    ['mem_used_pct > 90, cpu_used_pct > 90', 18, /^write one condition per line/],
  ],
  'a limit that no figure comes by is refused': [
    ['disk_free < 512', 16, /^disk_free is in bytes and needs a unit, such as disk_free < 512MiB$/],
    ['mem_used_pct > 101', 16, /^mem_used_pct is a percentage, which is between 0 and 100$/],
    ['cpu_used_pct < -1%', 16, /between 0 and 100$/],
  ],
  'a unit that does not fit is refused with what fits': [
    ['mem_used > 90%', 14, /^% does not fit mem_used, but mem_used_pct$/],
    ['mem_free > 90%', 14, /^% does not fit mem_free, but mem_used_pct$/],
    ['mem_used_mib > 90%', 18, /^% does not fit mem_used_mib, which is in MiB: .*B, kB,.*TiB$/],
    [
      'mem_used_pct > 1GiB',
      17,
      /^GiB does not fit mem_used_pct, which is in percent: write % or no unit$/,
    ],
    ['cpu_count > 4%', 14, /^% does not fit cpu_count, which is a plain number: write no unit$/],
  ],
};

for (const [name, slips] of Object.entries(SLIPS)) {
  describe(name, () => {
    for (const [line, at, says] of slips) {
      test(JSON.stringify(line), () => {
        const { message, column } = refusalOf(line);
        assert.match(message, says);
        assert.equal(column, at);
      });
    }
  });
}

test('every metric without its last letter is a slip of itself', () => {
  for (const metric of Object.keys(METRICS).filter(name => name !== 'ts')) {
    assert.match(
      refusalOf(`${metric.slice(0, -1)} > 1`).message,
      new RegExp(`did you mean ${metric}\\?$`),
    );
  }
});
