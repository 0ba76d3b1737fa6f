import type { Aggregate, Condition, Operator } from './conditions.ts';
import type { Figures } from './metrics.ts';

export interface Gate {
  readonly state: 'passed' | 'warned' | 'failed' | 'none';
  readonly failIf: readonly Condition[];
  readonly warnIf: readonly Condition[];
  readonly breaches: readonly Breach[];
}

type GateRules = Pick<Gate, 'failIf' | 'warnIf'>;

export type Breach = Judgement & { readonly level: 'fail' | 'warn' };

/** `holds` is undefined if the condition cannot be judged. */
export type Judgement =
  | {
      readonly condition: Condition;
      readonly holds: boolean;
      readonly figure: number;
    }
  | {
      readonly condition: Condition;
      readonly holds: undefined;
      readonly samples: number;
      /** Number of samples without the metric; 0 if its mean is not finite. */
      readonly missing: number;
      /** Metrics found in the first sample without this metric. */
      readonly reported: readonly string[];
    };

export const NO_GATE: Gate = { state: 'none', failIf: [], warnIf: [], breaches: [] };

export function isGated({ failIf, warnIf }: GateRules): boolean {
  return failIf.length + warnIf.length > 0;
}

/** Judges all conditions; if samples are missing (`isBlind`), the gate never passes. */
export function gateOf(
  { failIf, warnIf }: GateRules,
  samples: readonly Figures[],
  isBlind = false,
): Gate {
  const breaches = [...tripped('fail', failIf, samples), ...tripped('warn', warnIf, samples)];
  const hasFailed = breaches.some(({ level }) => level === 'fail');
  const state = () => {
    if (!isGated({ failIf, warnIf })) return 'none';
    if (hasFailed || (isBlind && failIf.length > 0)) return 'failed';
    return isBlind || breaches.length > 0 ? 'warned' : 'passed';
  };
  return { state: state(), failIf, warnIf, breaches };
}

function tripped(
  level: Breach['level'],
  conditions: readonly Condition[],
  samples: readonly Figures[],
): Breach[] {
  return conditions
    .map(condition => ({ ...judge(condition, samples), level }))
    .filter(({ holds }) => holds !== false);
}

const HOLDS: Readonly<Record<Operator, (figure: number, limit: number) => boolean>> = {
  '>': (figure, limit) => figure > limit,
  '>=': (figure, limit) => figure >= limit,
  '<': (figure, limit) => figure < limit,
  '<=': (figure, limit) => figure <= limit,
  '==': (figure, limit) => figure === limit,
  '!=': (figure, limit) => figure !== limit,
};

/** Judges a condition over samples (oldest first), all of which must have the metric. */
export function judge(condition: Condition, samples: readonly Figures[]): Judgement {
  const { metric, aggregate, operator, limit } = condition;
  const figures = figuresOf(metric, samples);
  if (figures === undefined || figures.length < samples.length) return unjudged(condition, samples);
  const deciding = decidingOf(condition);
  const candidates = deciding === undefined ? figures : [aggregateOf(deciding, figures)];
  if (!candidates.every(Number.isFinite)) return unjudged(condition, samples);
  const found = candidates.find(figure => HOLDS[operator](figure, limit));
  const figure = found ?? aggregateOf(aggregate ?? 'last', figures);
  return { condition, holds: found !== undefined, figure };
}

function unjudged(condition: Condition, samples: readonly Figures[]): Judgement {
  const lacking = samples.filter(figures => !figures.has(condition.metric));
  const reported = [...(lacking[0]?.keys() ?? [])].sort();
  const missing = lacking.length;
  return { condition, holds: undefined, samples: samples.length, missing, reported };
}

/** Returns the aggregate to compare, by default the extreme; `==` and `!=` compare every figure. */
export function decidingOf({ aggregate, operator }: Condition): Aggregate | undefined {
  if (aggregate !== undefined) return aggregate;
  if (operator.startsWith('<')) return 'min';
  return operator.startsWith('>') ? 'max' : undefined;
}

export function metricsOf(...conditions: readonly (readonly Condition[])[]): ReadonlySet<string> {
  return new Set(conditions.flat().map(({ metric }) => metric));
}

export type SomeFigures = readonly [number, ...number[]];

export function figuresOf(metric: string, samples: readonly Figures[]): SomeFigures | undefined {
  const [first, ...others] = samples.flatMap(figures => figures.get(metric) ?? []);
  return first === undefined ? undefined : [first, ...others];
}

// Only the mean can overflow to infinity.
export function aggregateOf(aggregate: Aggregate, figures: SomeFigures): number {
  switch (aggregate) {
    case 'last':
      return figures.at(-1) ?? figures[0];
    case 'mean':
      return figures.reduce((a, b) => a + b) / figures.length;
    case 'min':
      return figures.reduce((a, b) => Math.min(a, b));
    case 'max':
      return figures.reduce((a, b) => Math.max(a, b));
  }
}
