import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../schema/report-1.json' with { type: 'json' };

const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(schema);

/** The outputs that are JSON, each with a schema. */
const OUTPUTS = ['uploaded', 'breaches', 'aggregates', 'stats'] as const;

/** Asserts that the report or an output fits its schema. */
export function assertFits(name: 'report' | (typeof OUTPUTS)[number], value: unknown): void {
  const place = name === 'report' ? schema.$id : `${schema.$id}#/$defs/${name}`;
  const validate = ajv.getSchema(place) ?? assert.fail(`there is no schema of ${name}`);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`);
}

/** Asserts that all JSON outputs fit. An empty one means missing or too long. */
export function assertOutputsFit(outputs: Readonly<Record<string, string>>): void {
  for (const name of OUTPUTS) if (outputs[name]) assertFits(name, JSON.parse(outputs[name]));
}
