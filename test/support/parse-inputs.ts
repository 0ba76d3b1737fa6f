import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { InputError, type InputProblem } from '../../src/inputs/input-error.ts';
import { INPUTS, type Inputs } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';

type Action = 'sync' | 'download' | 'run' | 'sandbox';

const CONNECTION = {
  'sandbox-id': 'i1a2b3c4d5',
  token: 'tok-3f9c1d',
  'base-url': 'https://sandbox.example.com',
};

/** Valid values of the required inputs. */
export const REQUIRED = {
  sync: { ...CONNECTION, files: 'dist/**' },
  download: { ...CONNECTION, files: 'app/junit.xml' },
  run: { ...CONNECTION, run: 'npm test' },
  sandbox: { 'api-url': 'https://api.example.com', 'api-key': 'k-7d01a2', template: 'base' },
} as const satisfies Readonly<Record<Action, RawInputs>>;

/** Parses valid inputs of `sync` with these changes. */
export function parseSyncInputs(changes: RawInputs = {}): Inputs<'sync'> {
  return parseInputs(INPUTS.sync, { ...REQUIRED.sync, ...changes });
}

/** Returns all problems of valid inputs with these changes. */
export function problemsOf(changes: RawInputs, action: Action = 'sync'): readonly InputProblem[] {
  try {
    parseInputs(INPUTS[action], { ...REQUIRED[action], ...changes });
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return error.problems;
  }
}

/** Returns the name of the input that each problem is about. */
export function invalidInputs(changes: RawInputs, action: Action = 'sync'): string[] {
  return problemsOf(changes, action).map(({ input }) => input);
}

interface CaseOptions {
  readonly action?: Action;
  /** Inputs besides the tested one. */
  readonly others?: RawInputs;
}

/** Asserts that each value is parsed to the expected one. */
export function accepts(
  input: string,
  cases: Readonly<Record<string, unknown>>,
  { action = 'sync', others = {} }: CaseOptions = {},
): void {
  const key = input.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  for (const [value, expected] of Object.entries(cases)) {
    const raw = { ...REQUIRED[action], ...others, [input]: value };
    const inputs = new Map<string, unknown>(Object.entries(parseInputs(INPUTS[action], raw)));
    assert.deepEqual(inputs.get(key), expected, `${input}: ${JSON.stringify(value)}`);
  }
}

/** Asserts that each value is rejected in these words, and that the suggested example is accepted. */
export function rejects(
  input: string,
  cases: Readonly<Record<string, string>>,
  { action = 'sync', others = {} }: CaseOptions = {},
): void {
  for (const [value, words] of Object.entries(cases)) {
    const raw = { ...others, [input]: value };
    assert.deepEqual(invalidInputs(raw, action), [input], `${input}: ${JSON.stringify(value)}`);
    const { message = '' } = problemsOf(raw, action)[0] ?? {};
    assert.ok(message.includes(words), message);
    const [, example = ''] = / Example: `(.*)`$/s.exec(message) ?? [];
    // The runner replaces expressions before the action sees them, so insert a value here.
    const fixed: Record<string, unknown> = parse(example.replace(/\$\{\{.*\}\}/, 'some-value'));
    const line =
      input === 'files' && action === 'sync' ? `a\n${String(fixed[input])}` : String(fixed[input]);
    assert.deepEqual(problemsOf({ ...others, [input]: line }, action), []);
  }
}

/** Maps each value to the same words, with `%` replaced by the quoted value. */
export function sameMessage(values: readonly string[], words: string): Record<string, string> {
  return Object.fromEntries(
    values.map(value => [value, words.replace('%', JSON.stringify(value))]),
  );
}
