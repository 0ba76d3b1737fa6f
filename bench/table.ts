import { formatBytes, formatNumber } from '../src/text/units.ts';
import type { ColdStart, Machine, Results, Row, SinkLimit, Target } from './results.ts';

// What the others' times are set in relation to.
const BASELINE = 'curl -Z';

/** The results as Markdown: what they were found on, contenders by workload, cold starts. */
export function resultTables(results: Results): string {
  const { date, machine, sink, rows, coldStarts, leftOut } = results;
  const sections = [
    `Measured on ${date} on ${machineText(machine)}. ${sinkText(sink, rows)}`,
    rows.length === 0 ? '' : contenderTable(rows),
    coldStarts.length === 0 ? '' : coldStartTable(coldStarts),
    leftOut.length === 0 ? '' : `Left out: ${leftOut.join('; ')}.`,
  ];
  return `${sections.filter(section => section !== '').join('\n\n')}\n`;
}

function machineText({ cpu, cores, memoryBytes, kernel, node, curl, e2b }: Machine): string {
  const versions = [`Node ${node}`, `curl ${curl}`, ...(e2b === null ? [] : [`e2b ${e2b}`])].join(', ');
  return `${cores} cores of ${cpu}, ${formatBytes(memoryBytes)}, ${kernel}, with ${versions}`;
}

function sinkText({ requestsPerSecond, bytesPerSecond }: SinkLimit, rows: readonly Row[]): string {
  const requests = `${formatNumber(Math.round(requestsPerSecond))} requests of 4 KiB`;
  const busiest = Math.max(0, ...rows.map(row => row.sinkBusy));
  const busy = `was busy for at most ${Math.round(busiest * 100)} % of the time of a contender`;
  return `The server takes ${requests} or ${formatBytes(bytesPerSecond)} a second and ${busy}.`;
}

/** The targets as Markdown, and whether they were reached. */
export function targetTable(targets: readonly Target[]): string {
  const lines = targets.map(({ what, value, limit, unit, reached }) => [
    what,
    quantity(limit, unit),
    value === null ? 'not measured' : quantity(value, unit),
    reached === null ? '' : reached ? 'yes' : 'no',
  ]);
  return `${table(['Target', 'At most', 'Found', 'Reached'], lines)}\n`;
}

/** A line for each contender, a column for each workload. */
function contenderTable(rows: readonly Row[]): string {
  const columns = [...new Set(rows.map(columnOf))];
  const contenders = [...new Set(rows.map(row => row.contender))];
  const lines = contenders.map(contender => [
    contender,
    ...columns.map(column => {
      const inColumn = rows.filter(row => columnOf(row) === column);
      const row = inColumn.find(each => each.contender === contender);
      return row === undefined
        ? ''
        : cell(
            row,
            inColumn.find(each => each.contender === BASELINE),
          );
    }),
  ]);
  return table(['', ...columns], lines);
}

function columnOf({ title, latencyMs }: Row): string {
  return latencyMs === 0 ? title : `${title}, ${latencyMs} ms latency`;
}

/** Median time, its ratio to that of the baseline, and memory, as far as they are known. */
function cell({ medianMs, peakBytes, sample }: Row, baseline: Row | undefined): string {
  const computed = sample === null ? '' : ` (from ${sample})`;
  const ratio = baseline === undefined ? [] : [`${(medianMs / baseline.medianMs).toFixed(2)} ×`];
  return [
    `${time(medianMs)}${computed}`,
    ...ratio,
    ...(peakBytes === null ? [] : [mebibytes(peakBytes)]),
  ].join(', ');
}

function coldStartTable(coldStarts: readonly ColdStart[]): string {
  const lines = coldStarts.map(({ entry, what, medianMs, loadedBytes, packages }) => [
    entry,
    what,
    time(medianMs),
    `${Math.round(loadedBytes / 1024)} KiB`,
    String(packages.length),
  ]);
  return table(['Entry', 'What it does', 'Time', 'Code loaded', 'Packages in it'], lines);
}

function quantity(value: number, unit: Target['unit']): string {
  if (unit === 'bytes') return Math.abs(value) < 1024 ** 2 ? `${Math.round(value)} B` : mebibytes(value);
  return unit === 'count' ? String(value) : value.toFixed(2);
}

function time(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}

function table(headings: readonly string[], lines: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => '---'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}
