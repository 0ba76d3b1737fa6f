/** Raw input values by name, as the runner hands them over; an input that is not set is missing or empty. */
export type RawInputs = Readonly<Record<string, string>>;

/** One thing that is wrong with what the user gave. */
export interface Problem {
  /** The input's name. */
  readonly input: string;
  /** What is wrong with it and what is valid, as a sentence. Never holds a secret. */
  readonly message: string;
  /** A line of YAML that is valid. */
  readonly example?: string;
}

/** The user's input is wrong. Carries every problem found, and its message lists them all, a line each. */
export class InputError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describeProblem).join('\n'));
    this.name = 'InputError';
    this.problems = problems;
  }
}

/** A problem in one line: the input, what is wrong and what is valid, an example. */
export function describeProblem({ input, message, example }: Problem): string {
  return `${input}: ${message}${example === undefined ? '' : ` Example: ${example}`}`;
}

/**
 * Turns one raw value, trimmed, into a typed one. Calls `refuse` with a sentence on what is wrong and what is valid,
 * and an example. `all` holds every raw input, for a rule that spans two of them.
 */
export type Parser<T> = (value: string, refuse: Refuse, all: RawInputs) => T;

/** Ends the parsing of one input. */
export type Refuse = (message: string, example: string) => never;

type Parsed<S> = { readonly [K in keyof S]: S[K] extends Parser<infer T> ? T : never };

/**
 * Parses every input of a schema.
 * @throws InputError that holds the problems of all of them.
 */
export function parseInputs<S extends Record<string, Parser<unknown>>>(schema: S, raw: RawInputs): Parsed<S> {
  const problems: Problem[] = [];
  const entries = Object.entries(schema).map(([name, parse]) => {
    try {
      return [name, parse((raw[name] ?? '').trim(), refusal(name), raw)];
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(...error.problems);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new InputError(problems);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each entry holds what the schema's parser of that name returned
  return Object.fromEntries(entries) as Parsed<S>;
}

/**
 * Parses a value line by line; each line may yield any number of things.
 * @throws InputError that holds the problems of all lines.
 */
export function parseLines<T>(value: string, parseLine: (line: string, number: number) => readonly T[]): T[] {
  const problems: Problem[] = [];
  const parsed = value.split(/\r?\n/).map((line, index) => {
    try {
      return parseLine(line.trim(), index + 1);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new InputError(problems);
  return parsed.flat();
}

function refusal(input: string): Refuse {
  return (message, example) => {
    throw new InputError([{ input, message, example: `${input}: ${example}` }]);
  };
}
