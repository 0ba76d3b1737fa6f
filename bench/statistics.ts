/** The middle of some numbers, or the mean of the two in the middle; NaN of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return pair.reduce((sum, each) => sum + each, 0) / pair.length;
}
