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
  const [first, ...others] = figuresOf(condition.metric, samples);
  if (first === undefined) return { condition, holds: undefined, reported: reportedBy(samples) };
  const figures: [ExactNumber, ...ExactNumber[]] = [first, ...others];
  if (condition.aggregate !== undefined)
    return compared(condition, aggregateOf(condition.aggregate, figures));
  // The extreme on the condition's side decides whether any figure satisfies it; for == and != each must be asked.
  const side = condition.operator.startsWith('<') ? 'min' : 'max';
  const candidates = /[<>]/.test(condition.operator) ? [aggregateOf(side, figures)] : figures;
  const judgements = candidates.map(figure => compared(condition, figure));
  return judgements.find(judgement => judgement.holds) ?? compared(condition, figures.at(-1) ?? first);
}

/** One figure of several, the oldest first. */
export function aggregateOf(
  aggregate: Aggregate,
  figures: readonly [ExactNumber, ...ExactNumber[]],
): ExactNumber {
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

/** The figures of one metric in the samples that report it. */
export function figuresOf(metric: string, samples: readonly Figures[]): ExactNumber[] {
  return samples.flatMap(figures => {
    const figure = figures.get(metric);
    return figure === undefined ? [] : [exactly(figure)];
  });
}

function compared(condition: Condition, figure: ExactNumber): Judgement {
  return { condition, holds: HOLDS[condition.operator](compare(figure, condition.limit)), figure };
}

function reportedBy(samples: readonly Figures[]): string[] {
  return [...new Set(samples.flatMap(figures => [...figures.keys()]))].sort();
}
