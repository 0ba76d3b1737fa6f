/** A list cut to its first items; where there are more, what `more` makes of their number comes last. */
export function firstOf<T>(items: readonly T[], limit: number, more: (rest: number) => T): T[] {
  const rest = items.length - limit;
  return rest <= 0 ? [...items] : [...items.slice(0, limit), more(rest)];
}

/** The first items whose sizes are at most `limit` together. What comes after them is not even made. */
export function fitting<T>(items: Iterable<T>, limit: number, sizeOf: (item: T) => number): T[] {
  const fit: T[] = [];
  let left = limit;
  for (const item of items) {
    left -= sizeOf(item);
    if (left < 0) break;
    fit.push(item);
  }
  return fit;
}
