import assert from 'node:assert/strict';

// Written from the description of the language alone, as simply as possible. The sources must agree
// with it.

/** A fraction. Nothing is ever rounded or reduced. */
type Fraction = readonly [numerator: bigint, denominator: bigint];

/** A condition in its parts. */
export interface Parts {
  readonly metric: string;
  readonly aggregate: string | undefined;
  readonly operator: string;
  /** The limit's digits: `-1.5e3`. */
  readonly number: string;
  readonly unit: string;
}

const SIZES: Readonly<Record<string, bigint>> = {
  '': 1n,
  '%': 1n,
  B: 1n,
  kB: 1000n,
  MB: 1_000_000n,
  GB: 1_000_000_000n,
  TB: 1_000_000_000_000n,
  KiB: 1024n,
  MiB: 1_048_576n,
  GiB: 1_073_741_824n,
  TiB: 1_099_511_627_776n,
};

/** Whether a condition holds for the figures of its metric; undefined without figures. */
export function oracle(parts: Parts, found: readonly number[]): boolean | undefined {
  if (found.length === 0) return undefined;
  const all = found.map(figure => fraction(String(figure)));
  return chosen(parts.aggregate, all).some(figure =>
    holds(difference(figure, limitOf(parts)), parts.operator),
  );
}

/**
 * True if 64-bit floats cannot tell the deciding figure from the limit although they differ: floats
 * have 53 bits, of which a mean may lose three.
 */
export function isTooClose(parts: Parts, found: readonly number[]): boolean {
  const limit = limitOf(parts);
  const all = found.map(figure => fraction(String(figure)));
  return (
    all.length > 0 &&
    chosen(parts.aggregate, all).some(figure => {
      const apart = abs(difference(figure, limit));
      return apart > 0n && apart * 2n ** 50n < abs(limit[0] * figure[1]);
    })
  );
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** A condition's limit in the metric's own unit. */
export function limitOf({ metric, number, unit }: Parts): Fraction {
  const [numerator, denominator] = fraction(number);
  const perUnit = metric.endsWith('_mib') && unit !== '' ? 1_048_576n : 1n;
  return [numerator * (SIZES[unit] ?? assert.fail(unit)), denominator * perUnit];
}

function chosen(aggregate: string | undefined, all: readonly Fraction[]): readonly Fraction[] {
  const sorted = all.toSorted(
    (a, b) => Number(difference(a, b) > 0n) - Number(difference(a, b) < 0n),
  );
  if (aggregate === undefined) return all;
  if (aggregate === 'last') return all.slice(-1);
  if (aggregate === 'min') return sorted.slice(0, 1);
  if (aggregate === 'max') return sorted.slice(-1);
  const [sum, denominator] = all.reduce(([a, b], [c, d]): Fraction => [a * d + c * b, b * d]);
  return [[sum, denominator * BigInt(all.length)]];
}

function holds(order: bigint, operator: string): boolean {
  if (operator === '>') return order > 0n;
  if (operator === '>=') return order >= 0n;
  if (operator === '<') return order < 0n;
  if (operator === '<=') return order <= 0n;
  return operator === '==' ? order === 0n : order !== 0n;
}

/** Positive if `a` is above `b`, zero if equal, else negative. */
function difference([a, b]: Fraction, [c, d]: Fraction): bigint {
  return a * d - c * b;
}

/** A decimal as a fraction. */
function fraction(text: string): Fraction {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const numerator = BigInt(whole + decimals);
  const shift = BigInt(exponent) - BigInt(decimals.length);
  return shift >= 0n ? [numerator * 10n ** shift, 1n] : [numerator, 10n ** -shift];
}
