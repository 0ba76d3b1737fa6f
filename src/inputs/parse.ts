/** Raw input values by name, as the runner hands them over; an input that is not set is missing or empty. */
export type RawInputs = Readonly<Record<string, string>>;

/** One thing that is wrong with what the user gave. */
export interface Problem {
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

/** The error of a single problem. */
export function inputError(input: string, message: string, example?: string): InputError {
  return new InputError([
    example === undefined ? { input, message } : { input, message, example: `${input}: ${example}` },
  ]);
}

/** A problem in one line: the input, what is wrong and what is valid, an example. */
export function describeProblem({ input, message, example }: Problem): string {
  return `${input}: ${message}${example === undefined ? '' : ` Example: ${example}`}`;
}

/** How one input is read, and how the debug log shows it. */
export interface Field<T> {
  readonly parse: Parser<T>;
  show(value: T): string;
  /** Whether its value must never be shown. */
  readonly isSecret: boolean;
}

/** Turns a raw value, trimmed, into a typed one, or refuses it. `all` holds every input, for rules that span two. */
export type Parser<T> = (value: string, refuse: Refuse, all: RawInputs) => T;

/** Ends the parsing of one input. */
export type Refuse = (message: string, example: string) => never;

/** Fields by the names of their inputs. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The values of fields: of the input `fail-if`, under the name `failIf`. */
export type Values<F extends Fields> = {
  readonly [Name in keyof F & string as Camel<Name>]: F[Name] extends Field<infer T> ? T : never;
};

/** Parses every input that has a field. @throws InputError that holds the problems of all of them. */
export function parseFields<F extends Fields>(fields: F, raw: RawInputs): Values<F> {
  const parsed = collect(Object.entries(fields), ([name, { parse }]) => [
    [camel(name), parse((raw[name] ?? '').trim(), refusal(name), raw)],
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each entry holds what the field of that name returned
  return Object.fromEntries(parsed) as Values<F>;
}

/** The same, but that what is refused is as if it were empty. */
export function parseRest<F extends Fields>(fields: F, raw: RawInputs): Values<F> {
  try {
    return parseFields(fields, raw);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const refused = error.problems.map(({ input }) => [input, '']);
    return parseFields(fields, { ...raw, ...Object.fromEntries(refused) });
  }
}

/** The values of fields as they were understood, an input a line; of secrets, whether they are set. */
export function showFields<F extends Fields>(fields: F, values: Values<F>): string[] {
  const byName = new Map<string, unknown>(Object.entries(values));
  return Object.entries(fields).map(([name, field]) => `${name}: ${field.show(byName.get(camel(name)))}`);
}

/** Parses a value line by line, trimmed, counted from 1. @throws InputError that holds the problems of all lines, if `strict`. */
export function parseLines<T>(
  value: string,
  parseLine: (line: string, number: number) => readonly T[],
  strict = true,
): T[] {
  return collect([...value.split(/\r?\n/).entries()], ([index, line]) => parseLine(line.trim(), index + 1), strict);
}

/** What all promises come to, or what is wrong with all of them. */
export async function allOf<const P extends readonly Promise<unknown>[]>(promises: P) {
  const ends = await Promise.allSettled(promises);
  const errors: unknown[] = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []));
  for (const error of errors) if (error instanceof Error && !(error instanceof InputError)) throw error;
  const problems = errors.flatMap(error => (error instanceof InputError ? error.problems : []));
  if (problems.length > 0) throw new InputError(problems);
  return Promise.all(promises);
}

/** What parsing yields of all items, or the problems of all of them; not `strict`, of those without problems. */
function collect<I, T>(items: readonly I[], parse: (item: I) => readonly T[], strict = true): T[] {
  const problems: Problem[] = [];
  const parsed = items.flatMap(item => {
    try {
      return parse(item);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (strict && problems.length > 0) throw new InputError(problems);
  return parsed;
}

function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function refusal(input: string): Refuse {
  return (message, example) => {
    throw inputError(input, message, example);
  };
}
