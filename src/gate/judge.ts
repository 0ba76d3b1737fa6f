import type { Aggregate, Condition, Operator } from './conditions.ts';
import { compare, type ExactNumber, exactly, mean } from './exact-number.ts';
import type { Figures } from './metrics.ts';

/** What a gate came to: `none` without conditions. */
export interface Gate {
  /** The conditions that fail or warn where one holds. */
  readonly failIf: readonly Condition[];
  readonly warnIf: readonly Condition[];
  readonly state: 'passed' | 'warned' | 'failed' | 'none';
  readonly breaches: readonly Breach[];
}

type GateRules = Pick<Gate, 'failIf' | 'warnIf'>;

/** A condition that tripped, since it holds or cannot be judged. */
export type Breach = Judgement & { readonly level: 'fail' | 'warn' };

/** What became of one condition. */
export type Judgement =
  /** `figure` is the one that decided: of several that satisfy the condition, the farthest from its limit. */
  | { readonly condition: Condition; readonly holds: boolean; readonly figure: ExactNumber }
  /** Of `samples`, so many do not report the metric; `reported` are the metrics of the first of these. */
  | {
      readonly condition: Condition;
      readonly holds: undefined;
      readonly samples: number;
      readonly missing: number;
      readonly reported: readonly string[];
    };

/** A gate that nothing was asked of. */
export const NO_GATE: Gate = { state: 'none', failIf: [], warnIf: [], breaches: [] };

/** The metrics that conditions speak of. */
export function metricsOf(...conditions: readonly (readonly Condition[])[]): ReadonlySet<string> {
  return new Set(conditions.flat().map(({ metric }) => metric));
}

/**
 * Judges every condition over the samples. What cannot be judged trips: a gate that fails open guards nothing. Where it is
 * `blind`, since the samples do not cover the time that was to be watched, it passes nothing.
 */
export function gateOf({ failIf, warnIf }: GateRules, samples: readonly Figures[], blind = false): Gate {
  if (!isGated({ failIf, warnIf })) return NO_GATE;
  const tripped = (level: Breach['level'], conditions: readonly Condition[]) =>
    conditions.map(condition => ({ ...judge(condition, samples), level })).filter(({ holds }) => holds !== false);
  const [failures, warnings] = [tripped('fail', failIf), tripped('warn', warnIf)];
  const fails = failures.length > 0 || (blind && failIf.length > 0);
  const state = fails ? 'failed' : blind || warnings.length > 0 ? 'warned' : 'passed';
  return { state, failIf, warnIf, breaches: [...failures, ...warnings] };
}

/** Whether anything is judged. */
export function isGated({ failIf, warnIf }: GateRules): boolean {
  return failIf.length + warnIf.length > 0;
}

const HOLDS: Readonly<Record<Operator, (order: number) => boolean>> = {
  '>': order => order > 0,
  '>=': order => order >= 0,
  '<': order => order < 0,
  '<=': order => order <= 0,
  '==': order => order === 0,
  '!=': order => order !== 0,
};

/**
 * Judges a condition over samples, the oldest first. Where one does not report the metric, whatever it was then is not
 * known, and nothing can be judged.
 */
export function judge(condition: Condition, samples: readonly Figures[]): Judgement {
  const { metric, aggregate, operator, limit } = condition;
  const figures = figuresOf(metric, samples);
  const blind = samples.filter(sample => !sample.has(metric));
  if (figures === undefined || blind.length > 0) {
    const reported = [...(blind[0]?.keys() ?? [])].sort();
    return { condition, holds: undefined, samples: samples.length, missing: blind.length, reported };
  }
  const deciding = decidingOf(condition);
  const candidates = deciding === undefined ? figures : [aggregateOf(deciding, figures)];
  const found = candidates.find(figure => HOLDS[operator](compare(figure, limit)));
  const figure = found ?? aggregateOf(aggregate ?? 'last', figures);
  return { condition, holds: found !== undefined, figure };
}

/** Which figure decides: without an aggregate, the extreme on the condition's side; for == and != each must be asked. */
export function decidingOf({ aggregate, operator }: Condition): Aggregate | undefined {
  return aggregate ?? (operator.startsWith('<') ? 'min' : operator.startsWith('>') ? 'max' : undefined);
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
