import { fillPlaceholders } from './connection.ts';
import { InputError, tryAll } from './input-error.ts';
import { type EntryPoint, INPUTS, type Inputs } from './inputs.ts';
import type { RawInputs } from './parsers.ts';
import { CROSS_INPUT_RULES, canBeEmpty } from './rules.ts';

/**
 * Parses each input, then applies the rules that compare inputs.
 * @throws InputError with the problems of all inputs and rules
 */
export function parseInputs<T extends EntryPoint>(entry: T, raw: RawInputs): Inputs<T> {
  const filled = fillPlaceholders(raw);
  const { parsed, problems } = tryAll(Object.entries(INPUTS[entry]), ([name, parse]) => {
    const value = (filled[name] ?? '').trim();
    const isUnneeded = value === '' && canBeEmpty(name, entry, raw);
    return [camelCase(name), isUnneeded ? value : parse(value, name)];
  });
  // Rejected inputs are missing here. Only the rules see that, since the function then throws.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value comes from its parser
  const inputs = Object.fromEntries(parsed) as Inputs<T>;
  problems.push(...tryAll(CROSS_INPUT_RULES, rule => rule(inputs, raw)).problems);
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
