import { type Condition, parseCondition } from '../../src/gate/conditions.ts';

export class RejectedCondition extends Error {}

/** Parses a condition. @throws RejectedCondition */
export function parse(line: string): Condition {
  return parseCondition(line, message => {
    throw new RejectedCondition(message);
  });
}
