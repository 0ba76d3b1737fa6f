const STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes for a reader, in units of 1024: `512 B`, `3.4 MiB`, `12 GiB`. */
export function formatBytes(bytes: bigint | number): string {
  const size = Number(bytes);
  // What would be rounded up to 1024 of a unit is 1 of the next.
  const reaching = Math.max(Math.abs(size) * (1024 / 1023.5), 1);
  const step = Math.min(Math.floor(Math.log2(reaching) / 10), STEPS.length - 1);
  return `${threeDigits(size / 1024 ** step)} ${STEPS[step]}`;
}

/** Milliseconds for a reader: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${threeDigits(ms / 1000)} s`;
  return seconds < 3600 ? inSixties(seconds, 'min', 's') : inSixties(Math.floor(seconds / 60), 'h', 'min');
}

function inSixties(count: number, large: string, small: string): string {
  const rest = count % 60 === 0 ? '' : ` ${count % 60} ${small}`;
  return `${Math.floor(count / 60)} ${large}${rest}`;
}

/** The sizes of some files together, in bytes. */
export function totalSize(files: readonly { readonly size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** A whole number with its thousands parted: `12,000`. By hand, since `toLocaleString` takes 12 ms the first time. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun: `1 file`, `12,000 files`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Bytes a second for a reader. */
export function formatRate(bytes: number, ms: number): string {
  return `${formatBytes((bytes * 1000) / Math.max(ms, 1))}/s`;
}

/** A time of day, from milliseconds since 1970: `09:05:00 UTC`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** A number with at most two decimals. */
export function formatDecimal(value: number): string {
  return String(Number(value.toFixed(2)));
}

function threeDigits(value: number): string {
  return String(Number(value.toFixed(Math.abs(value) >= 99.95 ? 0 : 1)));
}
