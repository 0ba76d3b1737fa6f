import type { Aggregate, Condition, Operator } from './conditions.ts';
import type { Figures } from './metrics.ts';

/** The result of a gate: `none` without conditions. */
export interface Gate {
  /** The conditions that fail the step or warn if they hold. */
  readonly failIf: readonly Condition[];
  readonly warnIf: readonly Condition[];
  readonly state: 'passed' | 'warned' | 'failed' | 'none';
  readonly breaches: readonly Breach[];
}

type GateRules = Pick<Gate, 'failIf' | 'warnIf'>;

/** A condition that tripped: it holds, or it cannot be judged. */
export type Breach = Judgement & { readonly level: 'fail' | 'warn' };

/** The result of one condition. */
export type Judgement =
  /** `figure` is the extreme, or with `==` and `!=` the first that satisfies the condition. */
  | { readonly condition: Condition; readonly holds: boolean; readonly figure: number }
  /** `missing` of the `samples` lack the metric; `reported` lists what the first of them has. */
  | {
      readonly condition: Condition;
      readonly holds: undefined;
      readonly samples: number;
      readonly missing: number;
      readonly reported: readonly string[];
    };

export const NO_GATE: Gate = { state: 'none', failIf: [], warnIf: [], breaches: [] };

/** The metrics that conditions name. */
export function metricsOf(...conditions: readonly (readonly Condition[])[]): ReadonlySet<string> {
  return new Set(conditions.flat().map(({ metric }) => metric));
}

/**
 * Judges every condition over the samples. A condition that cannot be judged trips. A gate whose
 * samples do not cover the whole time (`isBlind`) never passes.
 */
export function gateOf(
  { failIf, warnIf }: GateRules,
  samples: readonly Figures[],
  isBlind = false,
): Gate {
  if (!isGated({ failIf, warnIf })) return NO_GATE;
  const failures = tripped('fail', failIf, samples);
  const warnings = tripped('warn', warnIf, samples);
  const breaches = [...failures, ...warnings];
  if (failures.length > 0 || (isBlind && failIf.length > 0))
    return { state: 'failed', failIf, warnIf, breaches };
  return { state: isBlind || warnings.length > 0 ? 'warned' : 'passed', failIf, warnIf, breaches };
}

/** Whether there is anything to judge. */
export function isGated({ failIf, warnIf }: GateRules): boolean {
  return failIf.length + warnIf.length > 0;
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

/** Judges a condition over samples, oldest first, unless one of them lacks the metric. */
export function judge(condition: Condition, samples: readonly Figures[]): Judgement {
  const { metric, aggregate, operator, limit } = condition;
  const figures = figuresOf(metric, samples);
  const lacking = samples.filter(sample => !sample.has(metric));
  if (figures === undefined || lacking.length > 0) {
    const reported = [...(lacking[0]?.keys() ?? [])].sort();
    return {
      condition,
      holds: undefined,
      samples: samples.length,
      missing: lacking.length,
      reported,
    };
  }
  const deciding = decidingOf(condition);
  const candidates = deciding === undefined ? figures : [aggregateOf(deciding, figures)];
  const found = candidates.find(figure => HOLDS[operator](figure, limit));
  const figure = found ?? aggregateOf(aggregate ?? 'last', figures);
  return { condition, holds: found !== undefined, figure };
}

/** The aggregate to compare: by default the extreme. `==` and `!=` compare every figure. */
export function decidingOf({ aggregate, operator }: Condition): Aggregate | undefined {
  if (aggregate !== undefined) return aggregate;
  if (operator.startsWith('<')) return 'min';
  return operator.startsWith('>') ? 'max' : undefined;
}

/** At least one figure of a metric, oldest first. */
export type SomeFigures = readonly [number, ...number[]];

/** One figure for several. */
export function aggregateOf(aggregate: Aggregate, figures: SomeFigures): number {
  switch (aggregate) {
    case 'last':
      return figures.at(-1) ?? figures[0];
    case 'mean':
      return mean(figures);
    case 'min':
      return figures.reduce((a, b) => Math.min(a, b));
    case 'max':
      return figures.reduce((a, b) => Math.max(a, b));
  }
}

/** The figures of one metric in the samples that report it; undefined if none does. */
export function figuresOf(metric: string, samples: readonly Figures[]): SomeFigures | undefined {
  const [first, ...others] = samples.flatMap(figures => figures.get(metric) ?? []);
  return first === undefined ? undefined : [first, ...others];
}

// Up to here, a decimal times a power of ten rounds to the whole number that its digits are.
const MAX_EXACT_SUM = 2 ** 51;

/** The mean, rounded once: of 0.1 and 0.2 it is 0.15, while their sum is 0.30000000000000004. */
function mean(figures: SomeFigures): number {
  const decimals = figures.reduce((most, figure) => Math.max(most, countDecimals(figure)), 0);
  const scale = Number(`1e${decimals}`);
  const sum = figures.reduce((total, figure) => total + Math.round(figure * scale), 0);
  if (Math.abs(sum) < MAX_EXACT_SUM) return sum / (figures.length * scale);
  // Differences to the first figure stay small, and keep the mean of equal figures exact.
  const [first] = figures;
  const rest = figures.reduce((total, figure) => total + (figure - first), 0);
  return first + rest / figures.length;
}

/** How many decimals a number has when it is written out. */
function countDecimals(figure: number): number {
  const [mantissa = '', exponent = '0'] = String(figure).split('e');
  const written = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(written - Number(exponent), 0);
}
