import type { Gate } from '../gate/judge.ts';
import type { Figure, Figures } from '../gate/metrics.ts';
import { formatBytes } from '../text/units.ts';
import { courseTable, timeCharts } from './charts.ts';
import { breachLine } from './figures.ts';
import { code, type Html, html, table } from './html.ts';
import type { Report } from './report.ts';

// So many tripped conditions are shown.
const MAX_BREACHES = 30;

/** What the summary says of the sandbox: the gate, the last figures, and their course over several samples. */
export function statsSection({ gate, stats, samples }: Report): Html[] {
  return [
    ...gateBlock(gate),
    ...(stats === undefined ? [] : [statsTable(stats.figures)]),
    ...courseTable(samples),
    ...timeCharts(samples, gate.conditions).map(markdown => ({ html: markdown })),
  ];
}

function gateBlock({ state, conditions, breaches }: Gate): Html[] {
  if (state === 'passed') {
    const texts = conditions.map(({ text }) => text).join(', ');
    return [html`<p>The gate passed. None of its conditions held: ${code(texts)}</p>`];
  }
  if (breaches.length === 0) return [];
  const rows = breaches
    .slice(0, MAX_BREACHES)
    .map(breach => [breach.level === 'fail' ? '❌' : '⚠️', code(breachLine(breach))]);
  return [table(['', 'Conditions that tripped'], rows)];
}

const NOT_REPORTED = 'not reported';

function statsTable(figures: Figures): Html {
  const cores = figures.get('cpu_count');
  const count = cores === undefined ? NOT_REPORTED : `${cores} ${cores === 1n ? 'core' : 'cores'}`;
  const row = (name: string, part: 'mem' | 'disk') => [
    name,
    bytes(figures.get(`${part}_used`)),
    bytes(figures.get(`${part}_total`)),
    bar(figures.get(`${part}_used_pct`)),
  ];
  const cpu = ['CPU', '', count, bar(figures.get('cpu_used_pct'))];
  return table(['', 'Used', 'Of', 'Share'], [cpu, row('Memory', 'mem'), row('Disk', 'disk')]);
}

function bytes(figure: Figure | undefined): string {
  return figure === undefined ? NOT_REPORTED : formatBytes(figure);
}

function bar(percent: Figure | undefined): Html | string {
  if (percent === undefined) return NOT_REPORTED;
  const filled = Math.min(Math.max(Math.round(Number(percent) / 5), 0), 20);
  return html`${code(`${'█'.repeat(filled)}${'░'.repeat(20 - filled)}`)} ${Number(percent).toFixed(1)} %`;
}
