import assert from 'node:assert/strict';

/**
 * The named cases, which tell most, as the quick tests' share of a table; all of them in a full
 * run.
 */
export function telling<T>(
  cases: Readonly<Record<string, T>>,
  names: readonly string[],
): [string, T][] {
  for (const name of names) assert.ok(name in cases, `there is no case ${name}`);
  return Object.entries(cases).filter(([name]) => everyCase || names.includes(name));
}

/** Every fourth case of a table of similar ones, as the quick tests' share. */
export function everyFourth<T>(cases: readonly T[]): readonly T[] {
  return everyCase ? cases : cases.filter((_, index) => index % 4 === 0);
}

/** True in a full run, as by `dev/scripts/test.ts --all`. */
export const everyCase = process.env['TEST_CASES'] === 'all';
