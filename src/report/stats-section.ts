import type { Gate } from '../gate/gate.ts';
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
    ...gateTable(gate),
    ...(stats === undefined ? [] : [statsTable(stats.figures)]),
    ...courseTable(samples),
    ...timeCharts(samples, gate.conditions).map(markdown => ({ html: markdown })),
  ];
}

function gateTable(gate: Gate): Html[] {
  if (gate.state === 'passed')
    return [
      html`<p>The gate passed, none of its conditions holds: ${code(gate.conditions.map(({ text }) => text).join(', '))}</p>`,
    ];
  if (gate.breaches.length === 0) return [];
  const rows = gate.breaches
    .slice(0, MAX_BREACHES)
    .map(breach => [breach.level === 'fail' ? '❌' : '⚠️', code(breachLine(breach))]);
  return [table(['', 'Conditions that tripped'], rows)];
}

function statsTable(figures: Figures): Html {
  const cores = figures.get('cpu_count');
  const cpu = figures.get('cpu_used_pct');
  return table(
    ['', 'Used', 'Of', 'Share'],
    [
      [
        'CPU',
        '',
        cores === undefined ? NOT_REPORTED : `${cores} ${cores === 1n ? 'core' : 'cores'}`,
        share(cpu),
      ],
      [
        'Memory',
        bytes(figures.get('mem_used')),
        bytes(figures.get('mem_total')),
        share(figures.get('mem_used_pct')),
      ],
      [
        'Disk',
        bytes(figures.get('disk_used')),
        bytes(figures.get('disk_total')),
        share(figures.get('disk_used_pct')),
      ],
    ],
  );
}

const NOT_REPORTED = 'not reported';

function bytes(figure: Figure | undefined): string {
  return figure === undefined ? NOT_REPORTED : formatBytes(figure);
}

function share(percent: Figure | undefined): Html | string {
  if (percent === undefined) return NOT_REPORTED;
  const filled = Math.min(Math.max(Math.round(Number(percent) / 5), 0), 20);
  return html`${code(`${'█'.repeat(filled)}${'░'.repeat(20 - filled)}`)} ${Number(percent).toFixed(1)} %`;
}
