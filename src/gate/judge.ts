import type { Aggregate, Condition, Operator } from './conditions.ts';
import { compare, type ExactNumber, exactly, mean } from './exact-number.ts';
import type { Figures } from './metrics.ts';

/** What became of one condition. */
export type Judgement =
  /** `figure` is the one that decided: of several that satisfy the condition, the farthest from its limit. */
  | { readonly condition: Condition; readonly holds: boolean; readonly figure: ExactNumber }
  /** No sample reports the metric. `reported` are the metrics that were. */
  | { readonly condition: Condition; readonly holds: undefined; readonly reported: readonly string[] };

const HOLDS: Readonly<Record<Operator, (order: number) => boolean>> = {
  '>': order => order > 0,
  '>=': order => order >= 0,
  '<': order => order < 0,
  '<=': order => order <= 0,
  '==': order => order === 0,
  '!=': order => order !== 0,
};

/** Judges a condition over samples, the oldest first. A sample that does not report the metric does not count. */
export function judge(condition: Condition, samples: readonly Figures[]): Judgement {
  const figures = figuresOf(condition.metric, samples);
  if (figures === undefined) return { condition, holds: undefined, reported: reportedBy(samples) };
  if (condition.aggregate !== undefined)
    return compared(condition, aggregateOf(condition.aggregate, figures));
  // The extreme on the condition's side decides whether any figure satisfies it; for == and != each must be asked.
  const side = condition.operator.startsWith('<') ? 'min' : 'max';
  const candidates = /[<>]/.test(condition.operator) ? [aggregateOf(side, figures)] : figures;
  const judgements = candidates.map(figure => compared(condition, figure));
  return judgements.find(judgement => judgement.holds) ?? compared(condition, aggregateOf('last', figures));
}

/** At least one figure of a metric, the oldest first. */
export type SomeFigures = readonly [ExactNumber, ...ExactNumber[]];

/** One figure of several. */
export function aggregateOf(aggregate: Aggregate, figures: SomeFigures): ExactNumber {
  const [first] = figures;
  switch (aggregate) {
    case 'last':
      return figures.at(-1) ?? first;
    case 'mean':
      return mean(figures);
    case 'min':
      return figures.reduce((a, b) => (compare(b, a) < 0 ? b : a));
    case 'max':
      return figures.reduce((a, b) => (compare(b, a) > 0 ? b : a));
  }
}

/** The figures of one metric in the samples that report it; undefined where none does. */
export function figuresOf(metric: string, samples: readonly Figures[]): SomeFigures | undefined {
  const [first, ...others] = samples.flatMap(figures => {
    const figure = figures.get(metric);
    return figure === undefined ? [] : [exactly(figure)];
  });
  return first === undefined ? undefined : [first, ...others];
}

function compared(condition: Condition, figure: ExactNumber): Judgement {
  return { condition, holds: HOLDS[condition.operator](compare(figure, condition.limit)), figure };
}

function reportedBy(samples: readonly Figures[]): string[] {
  return [...new Set(samples.flatMap(figures => [...figures.keys()]))].sort();
}
