import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../schema/report-1.json' with { type: 'json' };

const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(schema);

/** The schemas by what they describe: the report, and the outputs that are JSON. */
const OUTPUTS = ['uploaded', 'breaches', 'aggregates', 'stats'] as const;

/** Asserts that the report, or an output that is JSON, is as its schema says. */
export function assertFits(name: 'report' | (typeof OUTPUTS)[number], value: unknown): void {
  const place = name === 'report' ? schema.$id : `${schema.$id}#/$defs/${name}`;
  const validate = ajv.getSchema(place) ?? assert.fail(`there is no schema of ${name}`);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
}

/** The same of all outputs that are JSON. An empty one stands for nothing, or for too much. */
export function assertOutputsFit(outputs: Readonly<Record<string, string>>): void {
  for (const name of OUTPUTS) if (outputs[name]) assertFits(name, JSON.parse(outputs[name]));
}
