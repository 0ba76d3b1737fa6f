const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes for a reader, in units of 1024 with at most one decimal: `512 B`, `3.4 MiB`, `12 GiB`. */
export function formatBytes(bytes: number): string {
  const last = BYTE_UNITS.length - 1;
  let step = 0;
  // The next unit starts at 1000, since "1000 B" beside "2.9 KiB" is hard to compare.
  while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
  return `${formatDecimal(bytes / 1024 ** step, 1)} ${BYTE_UNITS[step]}`;
}

/** Milliseconds for a reader: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${formatDecimal(ms / 1000, 1)} s`;
  return seconds < 3600
    ? formatSixtieths(seconds, 'min', 's')
    : formatSixtieths(Math.floor(seconds / 60), 'h', 'min');
}

function formatSixtieths(count: number, large: string, small: string): string {
  const rest = count % 60 === 0 ? '' : ` ${count % 60} ${small}`;
  return `${Math.floor(count / 60)} ${large}${rest}`;
}

export function formatRate(bytes: number, ms: number): string {
  return `${formatBytes((bytes * 1000) / Math.max(ms, 1))}/s`;
}

/** A time of day, from milliseconds since 1970: `09:05:00 UTC`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** A whole number: `12,000`. By hand, since `toLocaleString` takes 12 ms the first time. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun: `1 file`, `12,000 files`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first of several names: `a.js and 12 more`. */
export function andMore(first: string, others: number): string {
  return others === 0 ? first : `${first} and ${formatNumber(others)} more`;
}

/** A number with at most so many decimals. */
export function formatDecimal(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

/** The sum of the files' sizes, in bytes. */
export function totalSize(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** The first `limit` items as `show` shows them, and `more` for the number of the rest. */
export function abbreviate<T, S>(
  items: readonly T[],
  limit: number,
  { show, more }: { readonly show: (item: T) => S; readonly more: (rest: number) => S },
): S[] {
  const shown = items.slice(0, limit).map(item => show(item));
  const rest = items.length - limit;
  return rest > 0 ? [...shown, more(rest)] : shown;
}

/** The first items whose sizes add up to at most `limit`. Items after them are never generated. */
export function takeWithin<T>(items: Iterable<T>, limit: number, sizeOf: (item: T) => number): T[] {
  const taken: T[] = [];
  let left = limit;
  for (const item of items) {
    left -= sizeOf(item);
    if (left < 0) break;
    taken.push(item);
  }
  return taken;
}
