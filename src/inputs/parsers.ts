import { BYTES, type Condition, parseCondition } from '../gate/conditions.ts';
import { quote } from '../text/escape.ts';
import { InputError, tryAll } from './input-error.ts';

/** Maps names to values as the runner gives them; unset inputs are missing or empty. */
export type RawInputs = Readonly<Record<string, string>>;

/** Parses or rejects one trimmed value; an empty one means the default. */
export type InputParser<T> = (value: string, reject: Reject) => T;

/** Throws an InputError; the message follows the input's name. */
export type Reject = (message: string, example?: string) => never;

/** Returns a `reject` that quotes the value in front of each message, and adds an example. */
export function quoting(value: string, reject: Reject, example: string): Reject {
  return message => reject(`${quote(value)} ${message}`, example);
}

export const text: InputParser<string> = value => value;

export const script: InputParser<string> = (value, reject) =>
  value === '' ? reject('is required: the commands to run.', 'npm ci && npm test') : value;

export const unixTime: InputParser<string> = (value, reject) =>
  /^\d*$/.test(value)
    ? value
    : reject(`${quote(value)} is not a Unix time in whole seconds.`, '1798761600');

/** Parses a boolean of YAML 1.2's core schema, as `getBooleanInput` of @actions/core does. */
export function flag<F extends boolean | undefined>(fallback: F): InputParser<boolean | F> {
  return (value, reject) => {
    if (value === '') return fallback;
    if (/^(true|True|TRUE)$/.test(value)) return true;
    if (/^(false|False|FALSE)$/.test(value)) return false;
    const isYes = /^(true|yes|y|on|1)$/i.test(value);
    return reject(`${quote(value)} is neither true nor false.`, String(isYes));
  };
}

export function choice<const W extends string>(first: W, ...others: readonly W[]): InputParser<W> {
  const words = [first, ...others];
  return (value, reject) => {
    const word = value === '' ? first : words.find(candidate => candidate === value);
    return word ?? reject(`${quote(value)} is not one of ${words.join(', ')}.`, first);
  };
}

export function wholeNumber<F extends number | 'auto'>(
  min: number,
  max: number,
  fallback: F,
): InputParser<number | F> {
  return (value, reject) => {
    if (value === '' || value === fallback) return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    return reject(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
  };
}

// Users reported failed uploads with 30 and more connections to E2B-compatible services.
const DEFAULT_CONCURRENCY = 24;

export const concurrency: InputParser<number> = (value, reject) =>
  wholeNumber(1, 100, DEFAULT_CONCURRENCY)(value === 'auto' ? '' : value, reject);

const MILLISECONDS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));

// Well below the limit of Node's timers, 2^31 - 1 ms (24.8 days).
const MAX_DURATION_MS = 24 * 3_600_000;

/** Parses `500ms`, `30s`, `5m` or `2h` to milliseconds, from `min` to a day. */
export function duration(min: number, fallback: string): InputParser<number> {
  return (value, reject) => {
    const [, number, unit = ''] =
      /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(value || fallback) ?? [];
    const ms = Math.round(Number(number) * (MILLISECONDS.get(unit) ?? Number.NaN));
    if (ms >= min && ms <= MAX_DURATION_MS) return ms;
    return reject(
      `${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`,
      fallback,
    );
  };
}

/** Parses bytes, or a number with a unit such as `512MiB`. */
export function byteSize(fallback: string): InputParser<number> {
  return (value, reject) => {
    const [, number, unit = ''] =
      /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
    const isUnit = ([name]: readonly [string, number]) => name.toLowerCase() === unit.toLowerCase();
    const [, factor = unit === '' ? 1 : Number.NaN] = Object.entries(BYTES).find(isUnit) ?? [];
    const bytes = Math.round(Number(number) * factor);
    if (bytes >= 1) return bytes;
    const units = Object.keys(BYTES).join(', ');
    return reject(
      `${quote(value)} is not a size: write bytes, or a number with ${units}.`,
      fallback,
    );
  };
}

export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

// A matrix has at most 256 jobs (https://docs.github.com/en/actions/reference/limits).
const MAX_SHARDS = 256;

export const shard: InputParser<Shard | undefined> = (value, reject) => {
  if (value === '') return undefined;
  const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
  if (1 <= index && index <= count && count <= MAX_SHARDS) return { index, count };
  return reject(
    `${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`,
    '2/4',
  );
};

export const conditions: InputParser<readonly Condition[]> = (value, reject) =>
  parseLines(value, reject, (line, rejectLine) =>
    parseConditionLine(line, rejectLine, 'mem_used_pct > 90'),
  );

/** Parses the conditions to wait for; `ready` only requires that the agent returns stats. */
export const waitConditions: InputParser<readonly Condition[] | undefined> = (value, reject) => {
  const lines = parseLines(value, reject, (line, rejectLine) =>
    /^ready$/i.test(line) ? 'ready' : parseConditionLine(line, rejectLine, 'ready'),
  );
  return lines.length > 0 ? lines.filter(line => line !== 'ready') : undefined;
};

function parseConditionLine(line: string, reject: Reject, example: string): Condition {
  return parseCondition(line, message => reject(`${quote(line)}: ${message}.`, example));
}

/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
export const keyValues: InputParser<Readonly<Record<string, string>>> = (value, reject) => {
  const pairs = parseLines(value, reject, (line, rejectLine) => {
    const [, key, content = ''] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) return [key, content];
    return rejectLine('this is not of the form KEY=value.', '"SUITE=api"');
  });
  return Object.fromEntries(pairs);
};

/** Parses all lines except blank ones and comments. @throws InputError with every line's problem */
export function parseLines<T>(
  value: string,
  reject: Reject,
  parseLine: (line: string, rejectLine: Reject) => T,
): T[] {
  const lines = value
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const contentLines = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  const { parsed, problems } = tryAll(contentLines, ({ line, number }) =>
    parseLine(line, (message, example) => reject(`line ${number}: ${message}`, example)),
  );
  if (problems.length > 0) throw new InputError(problems);
  return parsed;
}
