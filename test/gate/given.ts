import { type Condition, parseCondition } from '../../src/gate/conditions.ts';
import type { Figures } from '../../src/gate/metrics.ts';

/** A refused condition. */
export class Refused extends Error {}

/** Parses a condition. @throws Refused */
export function parse(line: string): Condition {
  return parseCondition(line, message => {
    throw new Refused(message);
  });
}

/** The figures of one sample. */
export function figures(of: Readonly<Record<string, number>>): Figures {
  return new Map(Object.entries(of));
}

/** Samples of one metric; `undefined` if a sample does not report it. */
export function samplesOf(metric: string, values: readonly (number | undefined)[]) {
  return values.map(value => ({
    figures: figures(value === undefined ? { ts: 1 } : { [metric]: value }),
  }));
}
