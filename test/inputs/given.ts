import assert from 'node:assert/strict';
import { InputError, type Problem, type RawInputs } from '../../src/inputs/parse.ts';
import { parseSync, type SyncTask } from '../../src/inputs/tasks.ts';

export const TOKEN = 'tok-3f9c1d';

/** The required inputs, all valid. */
export const REQUIRED: RawInputs = {
  'sandbox-id': 'i1a2b3c4d5',
  token: TOKEN,
  'base-url': 'https://sandbox.example.com',
  files: 'dist/**',
};

/** The inputs as parsed, with those given in place of the valid ones. */
export function parsed(given: RawInputs = {}): SyncTask {
  return parseSync({ ...REQUIRED, ...given });
}

/** Every problem that is found with the inputs given. */
export function problemsOf(given: RawInputs): readonly Problem[] {
  try {
    parsed(given);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return error.problems;
  }
}

/** The only problem that is found with the inputs given. */
export function problemOf(given: RawInputs): Problem {
  const [problem, ...others] = problemsOf(given);
  assert.ok(problem !== undefined, `${JSON.stringify(given)} is accepted`);
  assert.deepEqual(others, []);
  return problem;
}
