/** A list of which the first items are shown; where there are more, what `more` makes of their number comes last. */
export function firstOf<T, S>(
  items: readonly T[],
  limit: number,
  { show, more }: { readonly show: (item: T) => S; readonly more: (rest: number) => S },
): S[] {
  const shown = items.slice(0, limit).map(item => show(item));
  const rest = items.length - limit;
  return rest > 0 ? [...shown, more(rest)] : shown;
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
