import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Options {
  /** Whether something is to be measured: what is named, or all that is not optional where nothing is. */
  readonly isWanted: (what: { readonly name: string; readonly isOptional?: boolean }) => boolean;
  /** In place of each workload's own number. */
  readonly rounds: number | undefined;
  /** Where the results go, as JSON. */
  readonly json: string;
  /** A hundredth of the files, each contender once: whether it works, not how fast it is. */
  readonly quick: boolean;
}

/** @throws Error where an option is unknown or has a wrong value. */
export function readOptions(args: readonly string[], names: readonly string[], json: string): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workload: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      json: { type: 'string', default: json },
      quick: { type: 'boolean', default: false },
    },
  });
  const { workload: wanted, rounds } = values;
  for (const name of wanted) {
    if (!names.includes(name)) throw new Error(`--workload ${name}: it must be one of ${names.join(', ')}`);
  }
  if (rounds !== undefined && !/^[1-9]\d*$/.test(rounds))
    throw new Error(`--rounds ${rounds}: it must be a whole number above 0`);
  return {
    isWanted: ({ name, isOptional = false }) => (wanted.length === 0 ? !isOptional : wanted.includes(name)),
    rounds: rounds === undefined ? undefined : Number(rounds),
    json: values.json,
    quick: values.quick,
  };
}
