import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compare, exactly, mean, parseDecimal, toFigure, toNumber } from '../../src/gate/exact-number.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('a decimal', () => {
  const cases: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
    '0': [0n, 1n],
    '-12': [-12n, 1n],
    '0.5': [5n, 10n],
    '-0.25': [-25n, 100n],
    '1e+21': [10n ** 21n, 1n],
    '1.5e-7': [15n, 10n ** 8n],
    '12.50e1': [1250n, 10n],
  };
  for (const [text, [numerator, denominator]] of Object.entries(cases)) {
    test(`${text} is read exactly`, () => {
      const number = parseDecimal(text);
      assert.ok(number !== undefined);
      assert.equal(number.numerator * denominator, numerator * number.denominator);
    });
  }
  for (const text of [
    '',
    '-',
    '.5',
    '5.',
    '1e',
    'e5',
    '1e1.5',
    '0x10',
    ' 1',
    '1 ',
    'Infinity',
    'NaN',
    '1_0',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseDecimal(text), undefined));
  }
});

test('compare orders, also beyond what a float can tell', () => {
  assert.ok(compare(exactly(2n ** 53n), exactly(2n ** 53n + 1n)) < 0);
  assert.ok(compare(exactly(2n ** 63n - 1n), exactly(2n ** 63n - 2n)) > 0);
  assert.equal(compare(exactly(0.1), { numerator: 1n, denominator: 10n }), 0);
  assert.equal(compare(exactly(-0), exactly(0n)), 0);
  assert.ok(compare(exactly(-1.5), exactly(-1n)) < 0);
});

test('a float keeps its value through the exact number', () => {
  fc.assert(
    fc.property(finite, float => {
      assert.equal(toNumber(exactly(float)), float === 0 ? 0 : float);
    }),
    { numRuns: 2000 },
  );
});

test('a small float keeps all its digits', () => {
  for (const float of [1.234567890123456e-5, 5e-20, 5e-324, 1.7976931348623157e308]) {
    assert.equal(Number(toFigure(exactly(float))), float);
  }
});

test('a whole number keeps its digits', () => {
  fc.assert(
    fc.property(fc.bigInt(), whole => {
      assert.equal(toFigure(exactly(whole)), whole);
    }),
  );
});

describe('the mean', () => {
  test('does not round on the way', () => {
    const big = 2n ** 63n - 1n;
    assert.equal(toFigure(mean([exactly(big), exactly(big)])), big);
    assert.equal(toFigure(mean([exactly(0.1), exactly(0.2)])), 0.15);
    assert.equal(toFigure(mean([exactly(1n), exactly(2n)])), 1.5);
    assert.equal(toFigure(mean([exactly(0.1), exactly(0.1), exactly(0.1)])), 0.1);
  });

  test('lies between the smallest and the largest, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(finite, fc.bigInt()), { minLength: 1, maxLength: 8 }), values => {
        const [first, ...others] = values.map(exactly);
        assert.ok(first !== undefined);
        const found = mean([first, ...others]);
        const all = [first, ...others];
        assert.ok(all.some(number => compare(number, found) <= 0));
        assert.ok(all.some(number => compare(number, found) >= 0));
        const [last, ...rest] = all.toReversed();
        assert.ok(last !== undefined);
        assert.equal(compare(mean([last, ...rest]), found), 0);
      }),
    );
  });
});
