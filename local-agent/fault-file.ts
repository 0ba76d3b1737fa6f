import type { Fault, FaultAction } from './faults.ts';

/** A file of faults that is not what it should be; the message names the place in it. */
export class FaultFileError extends Error {
  override readonly name = 'FaultFileError';
}

/** Reads rules from JSON: an array of `Fault` objects whose bodies are strings. Throws a `FaultFileError`. */
export function parseFaults(json: string): Fault[] {
  const rules = parseJson(json);
  if (!Array.isArray(rules)) throw new FaultFileError('The faults must be a JSON array');
  return rules.map((rule, index) => faultOf(rule, `[${index}]`));
}

const KINDS = [
  'status',
  'delay',
  'reset',
  'hang-up',
  'truncate',
  'stall',
  'answer',
  'drop',
  'endless',
] as const;

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new FaultFileError(`The faults are not JSON: ${String(cause)}`, { cause });
  }
}

function faultOf(rule: unknown, at: string): Fault {
  const read = fieldsOf(rule, at);
  return read.only({
    on: read.oneOf('on', ['upload', 'stats', 'any']),
    path: read.optional('path', isString),
    skip: read.optional('skip', isCount),
    times: read.optional('times', isCount),
    do: actionOf(read.required('do', isObject), `${at}.do`),
  });
}

function actionOf(action: unknown, at: string): FaultAction {
  const read = fieldsOf(action, at);
  const kind = read.oneOf('kind', KINDS);
  switch (kind) {
    case 'status':
      return read.only({
        kind,
        status: read.required('status', isCount),
        body: read.optional('body', isString),
        headers: read.optional('headers', isTexts),
        early: read.optional('early', isBoolean),
      });
    case 'answer':
      return read.only({
        kind,
        body: read.required('body', isString),
        status: read.optional('status', isCount),
        headers: read.optional('headers', isTexts),
      });
    case 'delay':
      return read.only({ kind, ms: read.required('ms', isCount) });
    case 'reset':
    case 'hang-up':
      return read.only({ kind, at: read.oneOf('at', ['before-body', 'during-body', 'after-body']) });
    case 'stall':
      return read.only({ kind, at: read.oneOf('at', ['reading', 'answering']) });
    case 'endless':
      return read.only({ kind, chunk: read.required('chunk', isString) });
    case 'truncate':
    case 'drop':
      return read.only({ kind });
  }
}

type Check<T> = (value: unknown) => value is T;

interface Fields {
  required<T>(name: string, check: Check<T>): T;
  optional<T>(name: string, check: Check<T>): T | undefined;
  oneOf<const T extends string>(name: string, allowed: readonly T[]): T;
  /** Returns `value`, once the file has no other fields than it: a misspelt one would silently do nothing. */
  only<T extends object>(value: T): T;
}

function fieldsOf(object: unknown, at: string): Fields {
  if (!isObject(object)) throw new FaultFileError(`${at} must be an object`);
  const fail = (name: string, problem: string) => new FaultFileError(`${at}.${name} ${problem}`);
  const required: Fields['required'] = (name, check) => {
    const value = object[name];
    if (check(value)) return value;
    throw fail(name, value === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`);
  };
  return {
    required,
    optional: (name, check) => (object[name] === undefined ? undefined : required(name, check)),
    oneOf(name, allowed) {
      const found = allowed.find(value => value === object[name]);
      if (found === undefined) throw fail(name, `must be one of: ${allowed.join(', ')}`);
      return found;
    },
    only(value) {
      const unknown = Object.keys(object).find(name => !(name in value));
      if (unknown !== undefined) throw fail(unknown, 'is not known');
      return value;
    },
  };
}

const isString: Check<string> = value => typeof value === 'string';
const isBoolean: Check<boolean> = value => typeof value === 'boolean';
const isCount: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isObject: Check<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts: Check<Record<string, string>> = (value): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isString);
