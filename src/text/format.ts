const BINARY_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Formats bytes in units of 1024 with at most one decimal: `512 B`, `3.4 MiB`, `12 GiB`. */
export function formatBytes(bytes: number): string {
  const last = BINARY_UNITS.length - 1;
  let step = 0;
  // Switch units at 1000, not 1024, so that no figure has four digits before the point.
  while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
  return `${formatDecimal(bytes / 1024 ** step, 1)} ${BINARY_UNITS[step]}`;
}

/** Formats a duration: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${formatDecimal(ms / 1000, 1)} s`;
  return seconds < 3600
    ? formatSixtieths(seconds, 'min', 's')
    : formatSixtieths(Math.floor(seconds / 60), 'h', 'min');
}

function formatSixtieths(count: number, large: string, small: string): string {
  const remainder = count % 60 === 0 ? '' : ` ${count % 60} ${small}`;
  return `${Math.floor(count / 60)} ${large}${remainder}`;
}

export function formatRate(bytes: number, ms: number): string {
  return `${formatBytes((bytes * 1000) / Math.max(ms, 1))}/s`;
}

/** Formats Unix milliseconds as a time of day: `09:05:00 UTC`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

/** Formats an integer (`12,000`) without `toLocaleString`, whose first call takes 12 ms. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatDecimal(value: number, decimals: number): string {
  return String(Number(value.toFixed(decimals)));
}

export function totalSize(files: readonly { readonly size?: number }[]): number {
  return files.reduce((sum, { size = 0 }) => sum + size, 0);
}

export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
