import { formatBytes } from '../src/text/units.ts';
import type { ColdStart, Machine, Results, Row } from './results.ts';
import type { Target } from './targets.ts';

// What the others' times are set in relation to.
const BASELINE = 'curl -Z';

// What the README tells of: a column of the table of contenders, and one of its rows.
const HEADLINE = [
  ['2,000 × 4 KiB', 'action'],
  ['2,000 × 4 KiB, 100 ms latency', 'action, files-per-request: 100'],
  ['1 × 1 GiB', 'action'],
] as const;

/** The few results that the README names, as a Markdown list. */
export function headline(rows: readonly Row[]): string {
  const lines = HEADLINE.map(([column, contender]) => {
    const row = rows.find(each => columnOf(each) === column && each.contender === contender);
    return `- ${column}${contender.replace('action', '')}: ${row === undefined ? 'not measured' : cell(row, undefined)}\n`;
  });
  return lines.join('');
}

/** The results as Markdown: what they were found on, contenders by workload, cold starts. */
export function resultTables(results: Results): string {
  const { date, machine, rows, coldStarts, leftOut } = results;
  const sections = [
    `Measured on ${date} on ${machineText(machine)}.${rows.length === 0 ? '' : ` ${sinkText(rows)}`}`,
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

function sinkText(rows: readonly Row[]): string {
  const busiest = Math.max(...rows.map(row => row.sinkBusy));
  return `The server was busy for at most ${Math.round(busiest * 100)} % of any contender's time.`;
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
      const [row, baseline] = [contender, BASELINE].map(name =>
        rows.find(each => each.contender === name && columnOf(each) === column),
      );
      return row === undefined ? '' : cell(row, baseline);
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
  return [`${time(medianMs)}${computed}`, ...ratio, ...(peakBytes === null ? [] : [mebibytes(peakBytes)])].join(', ');
}

function coldStartTable(coldStarts: readonly ColdStart[]): string {
  const lines = coldStarts.map(({ entry, what, medianMs }) => [entry, what, time(medianMs)]);
  return table(['Entry', 'What it does', 'Time'], lines);
}

function quantity(value: number, unit: Target['unit']): string {
  return unit === 'bytes' ? mebibytes(value) : value.toFixed(2);
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
