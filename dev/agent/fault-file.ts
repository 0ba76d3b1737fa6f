import type { Fault, FaultAction } from './faults.ts';

/** The file of faults is invalid; the message says where. */
export class FaultFileError extends Error {
  override readonly name = 'FaultFileError';
}

/**
 * Reads rules from JSON: an array of `Fault` objects whose bodies are strings. Throws a
 * `FaultFileError`.
 */
export function parseFaults(json: string): Fault[] {
  const rules = parseJson(json);
  if (!Array.isArray(rules)) throw new FaultFileError('The faults must be a JSON array');
  return rules.map((rule: unknown, index) => {
    assertFault(rule, `[${index}]`);
    return rule;
  });
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new FaultFileError(`The faults are not JSON: ${String(cause)}`, { cause });
  }
}

/** The values of a field: one of these texts, or what passes the check. */
interface Field {
  readonly may: readonly string[] | ((value: unknown) => boolean);
  readonly isOptional?: boolean;
}

type Fields<Names extends PropertyKey> = Readonly<Record<Names, Field>>;
type FieldsOf<Kind extends FaultAction['kind']> = Exclude<
  keyof Extract<FaultAction, { kind: Kind }>,
  'kind'
>;

const isString = (value: unknown) => typeof value === 'string';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TEXT: Field = { may: isString };
const COUNT: Field = { may: isCount };
const FLAG: Field = { may: value => typeof value === 'boolean' };
const HEADERS: Field = { may: value => isObject(value) && Object.values(value).every(isString) };
const STAGE: Field = { may: ['before-body', 'during-body', 'after-body'] };

const RULE: Fields<keyof Fault> = {
  on: { may: ['upload', 'stats', 'any'] },
  path: optional(TEXT),
  skip: optional(COUNT),
  times: optional(COUNT),
  do: { may: isObject },
};

const ACTIONS: { readonly [Kind in FaultAction['kind']]: Fields<FieldsOf<Kind>> } = {
  status: {
    status: COUNT,
    body: optional(TEXT),
    headers: optional(HEADERS),
    early: optional(FLAG),
  },
  delay: { ms: COUNT },
  reset: { at: STAGE },
  'hang-up': { at: STAGE },
  truncate: {},
  stall: { at: { may: ['reading', 'answering'] } },
  answer: { body: TEXT, status: optional(COUNT), headers: optional(HEADERS) },
  drop: {},
  endless: { chunk: TEXT },
};

function optional(field: Field): Field {
  return { ...field, isOptional: true };
}

function assertFault(rule: unknown, at: string): asserts rule is Fault {
  const { do: action } = checked(rule, at, RULE);
  const kind = { kind: { may: Object.keys(ACTIONS) } };
  const named = Object.entries(ACTIONS).find(
    ([name]) => isObject(action) && action['kind'] === name,
  );
  checked(action, `${at}.do`, { ...kind, ...named?.[1] });
}

/** The object, if every field is known and valid: a misspelt field would do nothing. */
function checked(
  object: unknown,
  at: string,
  fields: Fields<string>,
): Readonly<Record<string, unknown>> {
  if (!isObject(object)) throw new FaultFileError(`${at} must be an object`);
  for (const [name, field] of Object.entries(fields)) {
    const problem = problemOf(object[name], field);
    if (problem !== undefined) throw new FaultFileError(`${at}.${name} ${problem}`);
  }
  const unknown = Object.keys(object).find(name => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new FaultFileError(`${at}.${unknown} is not known`);
  return object;
}

function problemOf(value: unknown, { may, isOptional = false }: Field): string | undefined {
  if (value === undefined && isOptional) return undefined;
  if (typeof may !== 'function')
    return may.some(text => text === value) ? undefined : `must be one of: ${may.join(', ')}`;
  if (may(value)) return undefined;
  return value === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`;
}
