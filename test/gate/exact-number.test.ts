import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compare, exactly, mean, parseDecimal, toFigure, toNumber } from '../../src/gate/exact-number.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('a decimal', () => {
  const cases: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
    '-12': [-12n, 1n],
    '-0.25': [-25n, 100n],
    '007': [7n, 1n],
    '1e+21': [10n ** 21n, 1n],
    '1.5e-7': [15n, 10n ** 8n],
    '12.50e1': [1250n, 10n],
  };
  for (const [text, [numerator, denominator]] of Object.entries(cases)) {
    test(`${text} is read exactly`, () => {
      assert.equal(compare(parseDecimal(text) ?? assert.fail(), { numerator, denominator }), 0);
    });
  }

  for (const text of ['', '-', '.5', '5.', '1e', '1e1.5', '1e1000', '0x10', ' 1', '1 ', 'Infinity', '1_0']) {
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseDecimal(text), undefined));
  }
  test('of what is no finite number is an error', () => assert.throws(() => exactly(Infinity), RangeError));
});

test('a float and a whole number keep their value through the exact number', () => {
  fc.assert(
    fc.property(finite, fc.bigInt(), (float, whole) => {
      assert.equal(toNumber(exactly(float)), float === 0 ? 0 : float);
      assert.equal(Number(toFigure(exactly(float))), float === 0 ? 0 : float);
      assert.equal(toFigure(exactly(whole)), whole);
    }),
    { numRuns: 1000 },
  );
});

describe('the mean', () => {
  test('does not round on the way', () => {
    const big = 2n ** 63n - 1n;
    assert.equal(toFigure(mean([exactly(big), exactly(big)])), big);
    assert.equal(toFigure(mean([exactly(0.1), exactly(0.2)])), 0.15);
    assert.equal(toFigure(mean([exactly(0.1), exactly(0.1), exactly(0.1)])), 0.1);
  });

  test('lies between the smallest and the largest, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(finite, fc.bigInt()), { minLength: 1, maxLength: 8 }), values => {
        const [first, ...others] = values.map(exactly);
        const [last, ...rest] = values.map(exactly).toReversed();
        assert.ok(first !== undefined && last !== undefined);
        const found = mean([first, ...others]);
        assert.ok([first, ...others].some(number => compare(number, found) <= 0));
        assert.ok([first, ...others].some(number => compare(number, found) >= 0));
        assert.equal(compare(mean([last, ...rest]), found), 0);
      }),
    );
  });

  test('of thousands of decimals has no digits that grow with their number', () => {
    const [first, ...others] = Array.from({ length: 2000 }, (_, index) => exactly(index / 1000));
    assert.ok(first !== undefined);
    assert.ok(String(mean([first, ...others]).denominator).length < 10);
  });
});
