import { formatNumber } from './format.ts';

/** Cuts after `limit` characters and adds `…`, without splitting a surrogate pair. */
export function cutEnd(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Keeps the first `limit` items; `more` turns the number of the rest into a last item. */
export function firstOf<T>(
  items: readonly T[],
  limit: number,
  more: (count: number) => T,
): readonly T[] {
  if (items.length <= limit) return items;
  return [...items.slice(0, limit), more(items.length - limit)];
}

/** Lists at most `limit` names: `a, b`, `a, b, and 3 more`; or `a and 4 more` with a limit of 1. */
export function listSome(names: readonly string[], limit = 10): string {
  const more = (count: number) => `and ${formatNumber(count)} more`;
  return firstOf(names, limit, more).join(limit === 1 ? ' ' : ', ');
}
