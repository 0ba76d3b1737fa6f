import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { InputError, type Problem } from '../../src/inputs/input-error.ts';
import { type Inputs, parseInputs } from '../../src/inputs/inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';

/** The required inputs, all valid. */
export const REQUIRED: RawInputs = {
  'sandbox-id': 'i1a2b3c4d5',
  token: 'tok-3f9c1d',
  'base-url': 'https://sandbox.example.com',
  files: 'dist/**',
};

/** The same for the action `sandbox`. */
export const SERVICE: RawInputs = { 'api-url': 'https://api.example.com', 'api-key': 'k-7d01a2' };

/** Parses the required inputs with these changes. */
export function parsed(given: RawInputs = {}): Inputs<'sync'> {
  return parseInputs('sync', { ...REQUIRED, ...given });
}

function parsedFor(entry: 'sync' | 'sandbox', given: RawInputs) {
  return entry === 'sync' ? parsed(given) : parseInputs('sandbox', { ...SERVICE, ...given });
}

/** All problems of these inputs. */
export function problemsOf(
  given: RawInputs,
  entry: 'sync' | 'sandbox' = 'sync',
): readonly Problem[] {
  try {
    parsedFor(entry, given);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return error.problems;
  }
}

interface Beside {
  readonly entry?: 'sync' | 'sandbox';
  /** Other inputs. */
  readonly given?: RawInputs;
}

/** Tests what each value of an input is parsed to. */
export function takes(
  input: string,
  cases: Readonly<Record<string, unknown>>,
  { entry = 'sync', given = {} }: Beside = {},
): void {
  const name = input.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  for (const [value, expected] of Object.entries(cases)) {
    test(`${input} takes ${JSON.stringify(value)}`, () => {
      const inputs = Object.entries(parsedFor(entry, { ...given, [input]: value }));
      assert.deepEqual(new Map<string, unknown>(inputs).get(name), expected);
    });
  }
}

/** Tests that each value is refused, in these words, with an example that is YAML and valid. */
export function refuses(
  input: string,
  cases: Readonly<Record<string, string>>,
  { entry = 'sync', given = {} }: Beside = {},
): void {
  for (const [value, words] of Object.entries(cases)) {
    test(`${input} refuses ${JSON.stringify(value)}`, () => {
      const problems = problemsOf({ ...given, [input]: value }, entry);
      assert.deepEqual(
        problems.map(problem => problem.input),
        [input],
      );
      const { message = '', example = '' } = problems[0] ?? {};
      assert.ok(message.includes(words), message);
      // The runner evaluates expressions.
      const fixed: Record<string, unknown> = parse(example.replace(/\$\{\{.*\}\}/, 'value'));
      const line = input === 'files' ? `a\n${String(fixed[input])}` : String(fixed[input]);
      assert.deepEqual(problemsOf({ ...given, [input]: line }, entry), []);
    });
  }
}

/** Each value with the same words, in which `%` stands for the value in quotes. */
export function each(values: readonly string[], words: string): Record<string, string> {
  return Object.fromEntries(
    values.map(value => [value, words.replace('%', JSON.stringify(value))]),
  );
}
