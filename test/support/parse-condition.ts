import assert from 'node:assert/strict';
import type { Condition } from '../../src/gate/judge.ts';
import { conditions } from '../../src/inputs/conditions.ts';

export function parse(line: string): Condition {
  const [condition] = conditions(line, 'fail-if');
  assert.ok(condition !== undefined, line);
  return condition;
}
