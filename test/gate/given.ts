import assert from 'node:assert/strict';
import { type Condition, parseCondition } from '../../src/gate/conditions.ts';
import type { Figures } from '../../src/gate/metrics.ts';

/** A refused condition, with the reason and the column. */
export class Refused extends Error {
  readonly column: number;

  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

/** Parses a condition. @throws Refused */
export function parse(line: string): Condition {
  return parseCondition(line, (message, column) => {
    throw new Refused(message, column);
  });
}

/** The refusal of an invalid condition. */
export function refusalOf(line: string): Refused {
  try {
    parse(line);
  } catch (error) {
    assert.ok(error instanceof Refused, String(error));
    return error;
  }
  return assert.fail(`${line} is accepted`);
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
