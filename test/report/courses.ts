import type { Figures } from '../../src/gate/metrics.ts';
import type { Sample } from '../../src/stats/sample.ts';
import { statsOf } from './reports.ts';

/** The metrics of one sample; numbers beyond a float are texts. */
export type Reading = Readonly<Record<string, number | string>>;

/** Samples 1 s apart. */
export function course(readings: readonly Reading[]): Sample[] {
  return readings.map((reading, index) => ({
    at: 1_000_000 + 1000 * index,
    figures: statsOf(reading).figures,
  }));
}

/**
 * Samples of the CPU only: numbers as they are, even invalid ones, texts as the agent's JSON,
 * undefined for none.
 */
export function cpuCourse(values: readonly (number | string | undefined)[]): Sample[] {
  return values.map((value, index) => ({
    at: 1_000_000 + 1000 * index,
    figures: cpuFigures(value),
  }));
}

function cpuFigures(value: number | string | undefined): Figures {
  if (value === undefined) return new Map();
  return typeof value === 'string'
    ? statsOf({ cpu_used_pct: value }).figures
    : new Map([['cpu_used_pct', value]]);
}

/** The Mermaid text of a chart, without the fence. */
export function mermaidOf(chart: string): string {
  return /^```mermaid\n([\s\S]*)\n```$/.exec(chart)?.[1] ?? `no chart in ${chart}`;
}

/** The numbers of each line in a chart: first the metrics, then the limits. */
export function linesOf(chart: string): number[][] {
  return [...mermaidOf(chart).matchAll(/^ {2}line \[(.*)\]$/gm)].map(([, list = '']) =>
    list.split(', ').map(Number),
  );
}
