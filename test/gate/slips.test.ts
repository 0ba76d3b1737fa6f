import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { METRICS } from '../../src/gate/metrics.ts';
import { refusalOf } from './given.ts';

interface Slip {
  readonly column: number;
  readonly says: RegExp;
}

function check(slips: Readonly<Record<string, Slip>>): void {
  for (const [line, { column, says }] of Object.entries(slips)) {
    test(JSON.stringify(line), () => {
      const refusal = refusalOf(line);
      assert.match(refusal.message, says);
      assert.equal(refusal.column, column);
    });
  }
}

describe('a slip in a known metric is refused with the nearest one', () => {
  check({
    'mem_used_pc > 90': { column: 1, says: /no metric mem_used_pc; did you mean mem_used_pct\?$/ },
    'mem_usd > 90': { column: 1, says: /did you mean mem_used\?/ },
    'mem-used-pct > 90': { column: 1, says: /did you mean mem_used_pct\?/ },
    'Mem_Used > 90': { column: 1, says: /did you mean mem_used\?/ },
    'MEM_FREE < 1GiB': { column: 1, says: /did you mean mem_free\?/ },
    'disk_fre < 1GiB': { column: 1, says: /did you mean disk_free\?/ },
    'cpu-used-pct > 1': { column: 1, says: /did you mean cpu_used_pct\?/ },
    '  disk_usedpct > 1': { column: 3, says: /did you mean disk_used_pct\?/ },
  });

  for (const metric of Object.keys(METRICS).filter(name => name !== 'ts')) {
    test(`${metric} without its last letter`, () => {
      const { message } = refusalOf(`${metric.slice(0, -1)} > 1`);
      assert.match(message, new RegExp(`did you mean ${metric}\\?`));
    });
  }
});

describe('what is no metric is refused with an example', () => {
  check({
    '': { column: 1, says: /^a metric was expected, such as mem_used_pct$/ },
    '> 90': { column: 1, says: /^a metric was expected, not > 90, such as/ },
    '90 < mem_used_pct': { column: 1, says: /^a metric was expected/ },
    'ü > 1': { column: 1, says: /^a metric was expected, not ü > 1/ },
  });
});

describe('an unknown aggregate is refused with the nearest, or all of them', () => {
  const all = /valid are last min max mean$/;
  check({
    'mem_used.mx > 1': { column: 9, says: /^there is no aggregate mx; did you mean max\?$/ },
    'mem_used.meen > 1': { column: 9, says: /did you mean mean\?/ },
    'mem_used.Max > 1': { column: 9, says: /did you mean max\?/ },
    'mem_used.LAST > 1': { column: 9, says: /did you mean last\?/ },
    'mem_used.average > 1': { column: 9, says: all },
    'mem_used.p95 > 1': { column: 9, says: all },
    'mem_used. > 1': { column: 9, says: /^an aggregate is missing; valid are last/ },
    'mem_used.max.min > 1': { column: 13, says: /^there is no operator/ },
  });
});

describe('an unknown operator is refused with the nearest, or all of them', () => {
  const all = /valid are > >= < <= == !=$/;
  check({
    'mem_used = 1': { column: 10, says: /^there is no operator =; did you mean ==\?$/ },
    'mem_used => 1': { column: 10, says: /^there is no operator =>; did you mean >=\?$/ },
    'mem_used =< 1': { column: 10, says: /did you mean <=\?/ },
    'mem_used === 1': { column: 10, says: /did you mean ==\?/ },
    'mem_used !== 1': { column: 10, says: /did you mean !=\?/ },
    'mem_used >> 1': { column: 10, says: /did you mean >/ },
    'mem_used above 1': { column: 10, says: /^there is no operator above; valid are/ },
    'mem_used ≥ 1': { column: 10, says: /^there is no operator ≥/ },
    'mem_used 1': { column: 10, says: all },
    mem_used: { column: 9, says: /^an operator is missing; valid are/ },
    'mem_used.max': { column: 13, says: /^an operator is missing/ },
  });
});

describe('what is no number is refused where it stands', () => {
  check({
    'mem_used >': { column: 11, says: /^a number was expected, such as 90 or 1\.5$/ },
    'mem_used > lots': { column: 12, says: /^a number was expected, not lots, / },
    'mem_used > 1.2.3': { column: 12, says: /^a number was expected, not 1\.2\.3/ },
    'mem_used > .5': { column: 12, says: /number was expected/ },
    'mem_used > 5.': { column: 12, says: /number was expected/ },
    'mem_used > -': { column: 12, says: /number was expected, not -/ },
    'mem_used > +5': { column: 12, says: /number was expected/ },
    'mem_used > mem_total': { column: 12, says: /number was expected, not mem_total/ },
    'mem_used > 1e9999': { column: 12, says: /number was expected/ },
    'mem_used > ٣': { column: 12, says: /number was expected/ },
  });
});

describe('an unknown unit is refused with the nearest, or all of them', () => {
  const all = /valid are % B kB MB GB TB KiB MiB GiB TiB$/;
  check({
    'mem_used > 5 mb': { column: 14, says: /^there is no unit mb; did you mean MB\?$/ },
    'mem_used > 5KB': { column: 13, says: /did you mean kB\?/ },
    'mem_used > 5gib': { column: 13, says: /did you mean GiB\?/ },
    'mem_used > 5Gi': { column: 13, says: /did you mean GiB\?/ },
    'mem_used > 5 PiB': { column: 14, says: /did you mean \wiB\?/ },
    'mem_used > 5 bananas': { column: 14, says: all },
    'mem_used_pct > 90 percent': { column: 19, says: all },
    'mem_used > 5GiB and more': { column: 13, says: /no unit GiB and more/ },
    'mem_used > 1,000': { column: 13, says: /no unit ,000/ },
  });
});

describe('a unit that does not fit is refused with what fits', () => {
  check({
    'mem_used > 90%': { column: 14, says: /^% does not fit mem_used, which is in bytes: .*B, kB,.*TiB$/ },
    'mem_used_mib > 90%': { column: 18, says: /^% does not fit mem_used_mib, which is in MiB/ },
    'mem_used_pct > 1GiB': {
      column: 17,
      says: /^GiB does not fit mem_used_pct, which is in percent: write %/,
    },
    'cpu_count > 4%': {
      column: 14,
      says: /^% does not fit cpu_count, which is a plain number: write no unit/,
    },
    'ts > 4kB': { column: 7, says: /^kB does not fit ts/ },
  });
});
