import type { Condition } from './conditions.ts';
import type { ExactNumber } from './exact-number.ts';
import { type Judgement, judge } from './judge.ts';
import type { Figures } from './metrics.ts';

/** The conditions that fail or warn where one holds. */
export interface GateRules {
  readonly failIf: readonly Condition[];
  readonly warnIf: readonly Condition[];
}

/** A condition that tripped. */
export interface Breach {
  readonly level: 'fail' | 'warn';
  readonly condition: Condition;
  /** The figure that satisfied it; undefined where the metric was not reported, so that nothing could be judged. */
  readonly figure: ExactNumber | undefined;
  /** The metrics that were reported, where the condition's was not. */
  readonly reported: readonly string[];
}

/** What a gate came to: `none` without conditions. */
export interface Gate {
  readonly state: 'passed' | 'warned' | 'failed' | 'none';
  /** Every condition that was judged. */
  readonly conditions: readonly Condition[];
  readonly breaches: readonly Breach[];
}

/** A gate that nothing was asked of. */
export const NO_GATE: Gate = { state: 'none', conditions: [], breaches: [] };

/** Judges every condition over the samples. What cannot be judged trips: a gate that fails open guards nothing. */
export function gateOf({ failIf, warnIf }: GateRules, samples: readonly Figures[]): Gate {
  if (failIf.length + warnIf.length === 0) return NO_GATE;
  const breaches = [...trip('fail', failIf, samples), ...trip('warn', warnIf, samples)];
  const failed = breaches.some(({ level }) => level === 'fail');
  const state = failed ? 'failed' : breaches.length > 0 ? 'warned' : 'passed';
  return { state, conditions: [...failIf, ...warnIf], breaches };
}

function trip(
  level: Breach['level'],
  conditions: readonly Condition[],
  samples: readonly Figures[],
): Breach[] {
  return conditions
    .map(condition => judge(condition, samples))
    .flatMap(judgement => toBreach(level, judgement));
}

function toBreach(level: Breach['level'], judgement: Judgement): Breach[] {
  const { condition } = judgement;
  if (judgement.holds === undefined)
    return [{ level, condition, figure: undefined, reported: judgement.reported }];
  return judgement.holds ? [{ level, condition, figure: judgement.figure, reported: [] }] : [];
}
