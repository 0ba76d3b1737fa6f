import { quote } from '../text/escape.ts';
import { fieldsOf, isJson } from '../text/json.ts';
import { inputError } from './input-error.ts';
import type { InputParser } from './parsers.ts';

const EXAMPLE = `'{"allow_internet_access": false}'`;

const TAKEN = /^(templateID|timeout|metadata|envVars|secure|autoPause)$/;

/** Parses a JSON object. Messages omit values, which may be secret. */
export const createOptions: InputParser<Readonly<Record<string, unknown>>> = (value, input) => {
  const text = value || '{}';
  if (!isJson(text) || !text.startsWith('{'))
    throw inputError(input, 'is not a JSON object.', EXAMPLE);
  const fields = fieldsOf(JSON.parse(text));
  const taken = Object.keys(fields).find(name => TAKEN.test(name));
  if (taken === undefined) return fields;
  const message = `has ${quote(taken)}. Leave it out: template, lifetime, metadata, env or the action itself sets it.`;
  throw inputError(input, message, EXAMPLE);
};
