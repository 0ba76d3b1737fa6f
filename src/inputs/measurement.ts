import { type Condition, parseCondition } from '../gate/conditions.ts';
import type { GateRules } from '../gate/judge.ts';
import { quote } from '../text/visible.ts';
import { type Parser, type parseInputs, parseLines } from './parse.ts';
import { duration, wholeNumber } from './values.ts';

/** How to measure the sandbox, and what to make of the figures. */
export interface MeasurementInputs {
  readonly gate: GateRules;
  readonly wait: WaitRules;
  /** Readings to take. */
  readonly samples: number;
  /** Time between readings, in milliseconds, also while waiting. */
  readonly intervalMs: number;
}

/** What to wait for before anything else. */
export interface WaitRules {
  /** Must all hold in one sample; without any there is no waiting. */
  readonly until: readonly Condition[];
  readonly timeoutMs: number;
}

/** Conditions, one a line; empty lines and `#` comments are passed over. */
export const conditionLines: Parser<readonly Condition[]> = (value, refuse) =>
  parseLines(value, (line, number) => {
    if (line === '' || line.startsWith('#')) return [];
    return [
      parseCondition(line, (message, column) =>
        refuse(`line ${number}, ${quote(line)}, at character ${column}: ${message}`, 'mem_used_pct > 90'),
      ),
    ];
  });

/** The inputs of the gate, the same in every task that has one. */
export const gateSchema = { 'fail-if': conditionLines, 'warn-if': conditionLines };

/** The inputs of the tasks that read the stats themselves. */
export const measurementSchema = {
  ...gateSchema,
  'wait-until': conditionLines,
  'wait-timeout': duration(1, '5m'),
  samples: wholeNumber(1, 1000, 1),
  'sample-interval': duration(200, '1s'),
};

/** Puts the parsed inputs of `gateSchema` together. */
export function toGate(inputs: ReturnType<typeof parseInputs<typeof gateSchema>>): GateRules {
  return { failIf: inputs['fail-if'], warnIf: inputs['warn-if'] };
}

/** Puts the parsed inputs of `measurementSchema` together. */
export function toMeasurement(
  inputs: ReturnType<typeof parseInputs<typeof measurementSchema>>,
): MeasurementInputs {
  return {
    gate: toGate(inputs),
    wait: { until: inputs['wait-until'], timeoutMs: inputs['wait-timeout'] },
    samples: inputs.samples,
    intervalMs: inputs['sample-interval'],
  };
}
