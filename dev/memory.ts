/** Far more than an upload needs, and less than a file of 1 GiB. */
const MAX_MIB = 512;

/** Checks the peak memory of each upload in the table of the bench. Returns the problems. */
export function memoryProblems(table: string): string[] {
  const rows = table.split('\n').filter(line => line.includes(' ×, '));
  const uploads = rows.flatMap(row => row.split(' | ').slice(2, 4));
  const peaks = uploads.map(cell => Number(/([\d.]+) MiB/.exec(cell)?.[1] ?? 0));
  // The bench writes 0 if it could not measure.
  if (peaks.length === 0 || peaks.includes(0)) return ['the bench shows no peak memory'];
  const most = Math.max(...peaks);
  return most < MAX_MIB ? [] : [`an upload took ${most} MiB, more than ${MAX_MIB}`];
}
