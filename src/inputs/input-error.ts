import { inlineCode } from '../text/escape.ts';

export interface InputProblem {
  readonly input: string;
  readonly message: string;
}

export class InputError extends Error {
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(({ input, message }) => `${input}: ${message}`).join('\n'));
    this.name = 'InputError';
    this.problems = problems;
  }
}

export function inputError(input: string, message: string, example?: string): InputError {
  const suggestion = example === undefined ? '' : ` Example: ${inlineCode(`${input}: ${example}`)}`;
  return new InputError([{ input, message: message + suggestion }]);
}

/** Collects the problems of all InputErrors. `placeOf` begins their messages: `line 3: `. */
export function tryAll<I, T>(
  items: readonly I[],
  parse: (item: I) => T,
  placeOf: (item: I) => string = () => '',
): { readonly parsed: T[]; readonly problems: InputProblem[] } {
  const problems: InputProblem[] = [];
  const parsed: T[] = [];
  for (const item of items) {
    try {
      parsed.push(parse(item));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const place = placeOf(item);
      problems.push(...error.problems.map(each => ({ ...each, message: place + each.message })));
    }
  }
  return { parsed, problems };
}
