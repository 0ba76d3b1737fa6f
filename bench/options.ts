import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Options {
  /** Whether something is to be measured: what is named, or everything where nothing is. */
  readonly isWanted: (name: string) => boolean;
  /** In place of each workload's own number. */
  readonly rounds: number | undefined;
  /** Where the results go, as JSON; undefined for nowhere. */
  readonly json: string | undefined;
  /** A hundredth of the files, each contender once: whether it works, not how fast it is. */
  readonly quick: boolean;
}

/**
 * Reads the command line. `names` are what can be measured, `json` is where the results of a whole run go.
 * @throws Error where an option is unknown or has a wrong value.
 */
export function readOptions(args: readonly string[], names: readonly string[], json: string): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      workload: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { workload: wanted, rounds, quick } = values;
  for (const name of wanted) {
    if (!names.includes(name)) throw new Error(`--workload ${name}: it must be one of ${names.join(', ')}`);
  }
  if (rounds !== undefined && !/^[1-9]\d*$/.test(rounds))
    throw new Error(`--rounds ${rounds}: it must be a whole number above 0`);
  const isWhole = wanted.length === 0 && !quick;
  return {
    isWanted: name => wanted.length === 0 || wanted.includes(name),
    rounds: rounds === undefined ? undefined : Number(rounds),
    json: values.json ?? (isWhole ? json : undefined),
    quick,
  };
}
