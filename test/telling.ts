import assert from 'node:assert/strict';

/**
 * The cases of a table that tell most, by name: the quick tests' share. With all cases asked for,
 * the whole table.
 */
export function telling<T>(
  cases: Readonly<Record<string, T>>,
  names: readonly string[],
): [string, T][] {
  for (const name of names) assert.ok(name in cases, `there is no case ${name}`);
  return Object.entries(cases).filter(([name]) => everyCase || names.includes(name));
}

/** Every fourth case of a table whose cases tell alike: the quick tests' share. */
export function everyFourth<T>(cases: readonly T[]): readonly T[] {
  return everyCase ? cases : cases.filter((_, index) => index % 4 === 0);
}

/** Whether every case is asked for, as `dev/scripts/test.ts --all` does. */
export const everyCase = process.env['TEST_CASES'] === 'all';
