import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawInputs } from '../../src/inputs/fields.ts';
import { InputError, type Problem } from '../../src/inputs/input-error.ts';
import { type Inputs, parseInputs } from '../../src/inputs/inputs.ts';

export const TOKEN = 'tok-3f9c1d';

/** The required inputs, all valid. */
export const REQUIRED: RawInputs = {
  'sandbox-id': 'i1a2b3c4d5',
  token: TOKEN,
  'base-url': 'https://sandbox.example.com',
  files: 'dist/**',
};

/** Parses the required inputs with these changes. */
export function parsed(given: RawInputs = {}): Inputs<'sync'> {
  return parseInputs('sync', { ...REQUIRED, ...given });
}

/** All problems of these inputs. */
export function problemsOf(given: RawInputs): readonly Problem[] {
  try {
    parsed(given);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return error.problems;
  }
}

/** The only problem of these inputs. */
export function problemOf(given: RawInputs): Problem {
  const [problem, ...others] = problemsOf(given);
  assert.ok(problem !== undefined, `${JSON.stringify(given)} is accepted`);
  assert.deepEqual(others, []);
  return problem;
}

/** Tests what each value of an input is parsed to, with these other inputs. */
export function takes(
  input: string,
  cases: Readonly<Record<string, unknown>>,
  given: RawInputs = {},
): void {
  const name = input.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  for (const [value, expected] of Object.entries(cases)) {
    test(`${input} takes ${JSON.stringify(value)}`, () => {
      const values = new Map<string, unknown>(Object.entries(parsed({ ...given, [input]: value })));
      assert.deepEqual(values.get(name), expected);
    });
  }
}

/** Tests the message for each refused value of an input, with these other inputs. */
export function refuses(
  input: string,
  cases: Readonly<Record<string, string>>,
  example: string,
  given: RawInputs = {},
): void {
  for (const [value, message] of Object.entries(cases)) {
    test(`${input} refuses ${JSON.stringify(value)}`, () => {
      const expected = { input, message, example: `${input}: ${example}` };
      assert.deepEqual(problemOf({ ...given, [input]: value }), expected);
    });
  }
}

/** One message per value, with `%` for the value. */
export function each(values: readonly string[], message: string): Record<string, string> {
  return Object.fromEntries(
    values.map(value => [value, message.replace('%', JSON.stringify(value))]),
  );
}
