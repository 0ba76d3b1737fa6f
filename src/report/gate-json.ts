import { toFigure } from '../gate/exact-number.ts';
import type { Breach } from '../gate/gate.ts';
import { aggregateOf, figuresOf } from '../gate/judge.ts';
import type { Figure } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';

/** One figure of each kind over the samples of a metric. */
export type Aggregates = Readonly<Record<'last' | 'min' | 'max' | 'mean', Figure>>;

/** A breach as outputs and the report file show it; the figure is null where the metric was not reported. */
export function breachEntry({ level, condition, figure }: Breach): object {
  const { text, metric, limit } = condition;
  const found = figure === undefined ? null : toFigure(figure);
  return { level, condition: text, metric, figure: found, limit: toFigure(limit) };
}

/** The aggregates of every metric that any sample reports. */
export function aggregatesOf(samples: readonly Sample[]): Readonly<Record<string, Aggregates>> {
  const all = samples.map(({ stats }) => stats.figures);
  const metrics = new Set(all.flatMap(figures => [...figures.keys()]));
  return Object.fromEntries(
    [...metrics].flatMap(metric => {
      const figures = figuresOf(metric, all);
      if (figures === undefined) return [];
      const of = (aggregate: keyof Aggregates) => toFigure(aggregateOf(aggregate, figures));
      return [[metric, { last: of('last'), min: of('min'), max: of('max'), mean: of('mean') }]];
    }),
  );
}
