import type { Aggregate, Condition } from '../gate/conditions.ts';
import { toNumber } from '../gate/exact-number.ts';
import { aggregateOf, figuresOf, type Gate } from '../gate/judge.ts';
import { formatBytes, formatCount } from '../text/units.ts';
import { MIN_READINGS, timeChart } from './charts.ts';
import { formatFigure } from './figures.ts';
import { code, concat, type Html, html, table } from './html.ts';
import type { Report } from './report.ts';

/** What the summary says of the sandbox: its figures and what was judged, their course, and the size that would have done. */
export function statsSection(report: Report): Html[] {
  return [...statsTable(report), ...timeChart(report.samples, report.gate), ...sizeHint(report)];
}

const MAX_CONDITIONS = 30;
const RESOURCES = new Map(Object.entries({ cpu: 'CPU', mem: 'Memory', disk: 'Disk' }));

/** A row for each resource, and for each other metric that was judged. */
function statsTable({ samples, gate }: Report): Html[] {
  const all = samples.map(({ figures }) => figures);
  const figure = (metric: string, aggregate: Aggregate) => {
    const figures = figuresOf(metric, all);
    return figures === undefined ? '' : formatFigure(metric, aggregateOf(aggregate, figures));
  };
  const kinds: readonly Aggregate[] = samples.length > 1 ? ['max', 'mean', 'last'] : ['last'];
  const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
  const subjectOf = ({ metric }: Condition) => /^(cpu|mem|disk)_/.exec(metric)?.[1] ?? metric;
  const rows = [...new Set([...RESOURCES.keys(), ...conditions.map(subjectOf)])].flatMap(subject => {
    const [peak = '', mean = '', last = ''] = kinds.map(kind => {
      const [used, share, own] = [`${subject}_used`, `${subject}_used_pct`, subject].map(name => figure(name, kind));
      return used && share ? `${used} (${share})` : used || share || own || '';
    });
    const cores = figure('cpu_count', 'last');
    const total = subject === 'cpu' ? cores && formatCount(Number(cores), 'core') : figure(`${subject}_total`, 'last');
    const judged = conditions.filter(each => subjectOf(each) === subject);
    const { mark, lines } = marked(gate, judged);
    if (peak === '' && ['', '0 B'].includes(total) && lines === '') return [];
    const name = html`${mark}${RESOURCES.get(subject) ?? code(subject)}`;
    return [[name, peak || 'not reported', mean, last, total, lines]];
  });
  const levels = [...(gate.failIf.length > 0 ? ['fail-if'] : []), ...(gate.warnIf.length > 0 ? ['warn-if'] : [])];
  const headings = ['', samples.length > 1 ? 'Peak' : 'Now', 'Mean', 'Last', 'Total', levels.join(' / ')];
  return samples.length === 0 || rows.length === 0 ? [] : [table(headings, rows)];
}

const MARKS = { fail: '❌ ', warn: '⚠️ ', pass: '✅ ' } as const;

/** Conditions with what became of each, and the mark of the worst. */
function marked({ breaches }: Gate, conditions: readonly Condition[]): { mark: string; lines: Html | '' } {
  const levels = conditions.map(condition => breaches.find(each => each.condition === condition)?.level ?? 'pass');
  const worst = (['fail', 'warn'] as const).find(level => levels.includes(level));
  const lines = conditions.map(({ text }, index) => html`${MARKS[levels[index] ?? 'pass']}${code(text)}<br>`);
  return { mark: worst === undefined ? '' : MARKS[worst], lines: lines.length === 0 ? '' : concat(lines) };
}

/** The rule is in docs/summary.md. Of a sandbox that was not seen all the time, nobody can say. */
function sizeHint({ task, samples, errors, cancelled }: Report): Html[] {
  const all = samples.map(({ figures }) => figures);
  const used = figuresOf('mem_used', all);
  const total = Number(all.at(-1)?.get('mem_total') ?? 0);
  const isSeen = samples.length >= MIN_READINGS && errors.length === 0 && !cancelled;
  if (task !== 'monitor' || !isSeen || used === undefined) return [];
  const peak = toNumber(aggregateOf('max', used));
  const size = sizeFor(peak);
  const most = `Peak ${formatBytes(peak)} of ${formatBytes(total)}`;
  return size >= total ? [] : [html`<p>${most}: a sandbox with ${formatBytes(size)} would have done.</p>`];
}

/** The smallest of 512 MiB, 768 MiB, 1 GiB, 1.5 GiB, 2 GiB and so on that holds a peak and a quarter more, in bytes. */
export function sizeFor(peak: number): number {
  const needed = Math.max(peak * 1.25, 2 ** 29);
  const power = 2 ** Math.ceil(Math.log2(needed));
  return needed <= power * 0.75 ? power * 0.75 : power;
}
