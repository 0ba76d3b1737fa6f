/** A number without rounding: a fraction of two whole numbers, the lower one positive. */
export interface ExactNumber {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The exact number of a figure. A float stands for the shortest decimal that reads as it, as people write it. */
export function exactly(figure: bigint | number): ExactNumber {
  if (typeof figure === 'bigint') return { numerator: figure, denominator: 1n };
  const exact = parseDecimal(String(figure));
  if (exact === undefined) throw new RangeError(`${figure} has no exact value`);
  return exact;
}

/** Parses a decimal such as `-12`, `0.5` or `1e+21`; undefined for anything else. */
export function parseDecimal(text: string): ExactNumber | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const power = Number(exponent) - fraction.length;
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
export function compare(a: ExactNumber, b: ExactNumber): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function multiply(a: ExactNumber, b: ExactNumber): ExactNumber {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

/** The arithmetic mean of at least one number. */
export function mean(numbers: readonly [ExactNumber, ...ExactNumber[]]): ExactNumber {
  return multiply(numbers.reduce(add), { numerator: 1n, denominator: BigInt(numbers.length) });
}

function add(a: ExactNumber, b: ExactNumber): ExactNumber {
  if (a.denominator < b.denominator) return add(b, a);
  // Decimals' denominators are powers of ten; multiplied together, those of thousands of numbers would grow long.
  const divides = a.denominator % b.denominator === 0n;
  const common = divides ? a.denominator : a.denominator * b.denominator;
  const numerator = a.numerator * (common / a.denominator) + b.numerator * (common / b.denominator);
  return { numerator, denominator: common };
}

/** A whole number as bigint, any other as the nearest float. */
export function toFigure(number: ExactNumber): bigint | number {
  const { numerator, denominator } = number;
  return numerator % denominator === 0n ? numerator / denominator : toNumber(number);
}

/** The nearest float. */
export function toNumber({ numerator, denominator }: ExactNumber): number {
  // As a decimal with at least 25 digits, since reading a decimal rounds it correctly, and no float has more than 17.
  const digits = Math.max(0, String(denominator).length - String(numerator).length) + 25;
  return Number(`${(numerator * 10n ** BigInt(digits)) / denominator}e-${digits}`);
}
