import type { Figures } from './metrics.ts';

interface AggregateRule {
  /** Takes at least one figure, oldest first. */
  readonly compute: (figures: readonly number[]) => number;
  /** Set if the result describes all samples together, and is not the figure of one. */
  readonly overall?: {
    /** Of its column in the summary. */
    readonly heading: string;
    /** Stand before "5 samples" in the message of a breach. */
    readonly words: string;
  };
}

const RULES = {
  last: { compute: figures => figures.at(-1) ?? Number.NaN },
  min: { compute: figures => figures.reduce((low, figure) => Math.min(low, figure)) },
  max: { compute: figures => figures.reduce((high, figure) => Math.max(high, figure)) },
  mean: {
    compute: figures => figures.reduce((sum, figure) => sum + figure) / figures.length,
    overall: { heading: 'Mean', words: 'on average of' },
  },
} as const satisfies Readonly<Record<string, AggregateRule>>;

export type Aggregate = keyof typeof RULES;

export const AGGREGATES: Readonly<Record<Aggregate, AggregateRule>> = RULES;

export const AGGREGATE_NAMES = Object.keys(RULES).filter(isAggregate);

export function isAggregate(name: string): name is Aggregate {
  return Object.hasOwn(RULES, name);
}

export interface Measured {
  readonly figures: Figures;
}

export function figuresOf(metric: string, samples: readonly Measured[]): number[] {
  return samples.flatMap(({ figures }) => figures.get(metric) ?? []);
}

/** Returns undefined if no sample has the metric. */
export function aggregateOf(
  aggregate: Aggregate,
  metric: string,
  samples: readonly Measured[],
): number | undefined {
  const figures = figuresOf(metric, samples);
  return figures.length === 0 ? undefined : AGGREGATES[aggregate].compute(figures);
}
