import { formatBytes } from '../../src/text/format.ts';
import type { ColdStart, Machine, Results, Row } from './results.ts';
import type { Target } from './targets.ts';

// The contender that others are compared with.
const BASELINE = 'curl -Z';

// The rows in the README.
const HEADLINE = ['2,000 × 4 KiB', '2,000 × 4 KiB, TLS, 100 ms latency', '1 × 1 GiB'];

/** The few results that the README names, as a Markdown list. */
export function headline(rows: readonly Row[]): string {
  const lines = HEADLINE.map(name => {
    const found = rows.filter(row => nameOf(row) === name);
    const action = found.find(({ contender }) => contender === 'action');
    if (action === undefined) return `- ${name}: not measured\n`;
    const others = [bestOf(found, 'curl'), bestOf(found, 'e2b')]
      .filter(text => text !== '')
      .join(', ');
    return `- ${name}: ${cell(action, undefined)} (${others})\n`;
  });
  return lines.join('');
}

/** The shortest time of a kind of contender; empty if there is none. */
function bestOf(rows: readonly Row[], word: 'curl' | 'e2b'): string {
  const times = rows.filter(({ kind }) => kind.startsWith(word)).map(({ medianMs }) => medianMs);
  return times.length === 0 ? '' : `\`${word}\` ${time(Math.min(...times))}`;
}

/** The results as Markdown: the machine, contenders by workload, cold starts. */
export function resultTables(results: Results): string {
  const { date, machine, rows, coldStarts, leftOut } = results;
  const sections = [
    `Measured on ${date} on ${machineText(machine)}.${rows.length === 0 ? '' : ` ${serverText(rows)}`}`,
    rows.length === 0 ? '' : contenderTable(rows),
    coldStarts.length === 0 ? '' : coldStartTable(coldStarts),
    leftOut.length === 0 ? '' : `Left out: ${leftOut.join('; ')}.`,
  ];
  return `${sections.filter(section => section !== '').join('\n\n')}\n`;
}

function machineText({ cpu, cores, memoryBytes, kernel, node, curl, e2b }: Machine): string {
  const versions = [`Node ${node}`, `curl ${curl}`, ...(e2b === null ? [] : [`e2b ${e2b}`])].join(
    ', ',
  );
  return `${cores} cores of ${cpu}, ${formatBytes(memoryBytes)}, ${kernel}, with ${versions}`;
}

function serverText(rows: readonly Row[]): string {
  const busiest = Math.max(...rows.map(row => row.serverBusy ?? 0));
  return `The sink was busy for at most ${Math.round(busiest * 100)} % of any contender's time.`;
}

/** The targets as Markdown, and whether they were met. */
export function targetTable(targets: readonly Target[]): string {
  const lines = targets.map(({ what, value, limit, unit, reached }) => [
    what,
    quantity(limit, unit),
    value === null ? 'not measured' : quantity(value, unit),
    reached === null ? '' : reached ? 'yes' : 'no',
  ]);
  return `${table(['Target', 'At most', 'Found', 'Reached'], lines)}\n`;
}

/** A line for each workload in each place, a column for each contender. */
function contenderTable(rows: readonly Row[]): string {
  const contenders = [...new Set(rows.map(row => row.contender))];
  const lines = [...Map.groupBy(rows, nameOf)].map(([name, found]) => {
    const of = (contender: string) => found.find(row => row.contender === contender);
    const cells = contenders.map(of).map(row => (row === undefined ? '' : cell(row, of(BASELINE))));
    return [name, ...cells];
  });
  return table(['', ...contenders], lines);
}

function nameOf({ title, place }: Row): string {
  return place === '' ? title : `${title}, ${place}`;
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
  return [headings, headings.map(() => '---'), ...lines]
    .map(cells => `| ${cells.join(' | ')} |`)
    .join('\n');
}
