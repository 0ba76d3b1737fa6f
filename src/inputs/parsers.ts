import { quote } from '../text/escape.ts';
import { formatDuration } from '../text/format.ts';
import { fieldsOf, parseJson } from '../text/json.ts';
import { InputError, inputError, tryAll } from './input-error.ts';

/** Maps names to values as the runner gives them; unset inputs are missing or empty. */
export type RawInputs = Readonly<Record<string, string>>;

/** Returns an input's value without spaces around it, and '' if it is unset. */
export function rawValue(raw: RawInputs, name: string): string {
  return (raw[name] ?? '').trim();
}

/** Parses a trimmed value; an empty one means the default. @throws InputError that names `input` */
export type InputParser<T> = (value: string, input: string) => T;

export const anyText: InputParser<string> = value => value;

export function optional<T>(parse: InputParser<T>): InputParser<T | undefined> {
  return (value, input) => (value === '' ? undefined : parse(value, input));
}

/** Parses a boolean of YAML 1.2's core schema, as `getBooleanInput` of @actions/core does. */
export function flag<F extends boolean | undefined>(fallback: F): InputParser<boolean | F> {
  return (value, input) => {
    if (value === '') return fallback;
    if (/^(true|True|TRUE)$/.test(value)) return true;
    if (/^(false|False|FALSE)$/.test(value)) return false;
    const isYes = /^(true|yes|y|on|1)$/i.test(value);
    const [status] = /success|failure/i.exec(value) ?? [];
    const example = status ? `\${{ job.status == '${status}' }}` : String(isYes);
    throw inputError(input, `${quote(value)} is neither true nor false.`, example);
  };
}

export function choice<const W extends string>(
  fallback: W,
  ...alternatives: readonly W[]
): InputParser<W> {
  const words = [fallback, ...alternatives];
  return (value, input) => {
    const word = value === '' ? fallback : words.find(candidate => candidate === value);
    if (word !== undefined) return word;
    throw inputError(input, `${quote(value)} is not one of ${words.join(', ')}.`, fallback);
  };
}

export function wholeNumber<F extends number | 'auto'>(
  min: number,
  max: number,
  fallback: F,
): InputParser<number | F> {
  return (value, input) => {
    if (value === '' || value === fallback) return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    const message = `${quote(value)} is not a whole number from ${min} to ${max}.`;
    throw inputError(input, message, String(fallback));
  };
}

// Stay below 30, since users reported failed uploads to E2B-compatible services with that many
// connections.
const DEFAULT_CONCURRENCY = 24;

export const concurrency: InputParser<number> = (value, input) =>
  wholeNumber(1, 100, DEFAULT_CONCURRENCY)(value === 'auto' ? '' : value, input);

const MILLISECONDS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));

// Well below the limit of Node's timers, 2^31 - 1 ms (24.8 days).
const MAX_DURATION_MS = 24 * 3_600_000;

/** Parses a duration such as `500ms`, `30s`, `5m` or `2h`, from `min` ms to 24 h, to ms. */
export function duration(min: number, fallback: string): InputParser<number> {
  return (value, input) => {
    const [, number, unit = ''] =
      /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(value || fallback) ?? [];
    const ms = Math.round(Number(number) * (MILLISECONDS.get(unit) ?? Number.NaN));
    if (ms >= min && ms <= MAX_DURATION_MS) return ms;
    const shortest = formatDuration(min).replace(' ', '');
    const message = `${quote(value)} is not a duration from ${shortest} to 24h: write a number with ms, s, m or h.`;
    throw inputError(input, message, fallback);
  };
}

export const BYTES_PER_UNIT: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

export const SIZE_UNITS = Object.keys(BYTES_PER_UNIT);

export function findUnit(units: readonly string[], written: string): string | undefined {
  return units.find(unit => unit.toLowerCase() === written.toLowerCase());
}

export function byteSize(fallback: string): InputParser<number> {
  return (value, input) => {
    const [, number, suffix = ''] =
      /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
    const unit = findUnit(SIZE_UNITS, suffix || 'B') ?? '';
    const bytes = Math.round(Number(number) * (BYTES_PER_UNIT[unit] ?? Number.NaN));
    if (bytes >= 1) return bytes;
    const message = `${quote(value)} is not a size: write bytes, or a number with ${SIZE_UNITS.join(', ')}.`;
    throw inputError(input, message, fallback);
  };
}

export interface Shard {
  readonly index: number;
  readonly count: number;
}

// A matrix has at most 256 jobs (https://docs.github.com/en/actions/reference/limits).
const MAX_SHARDS = 256;

export const shard: InputParser<Shard | undefined> = (value, input) => {
  if (value === '') return undefined;
  const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
  if (1 <= index && index <= count && count <= MAX_SHARDS) return { index, count };
  const message = `${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`;
  throw inputError(input, message, '2/4');
};

/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
export const keyValues: InputParser<Readonly<Record<string, string>>> = (value, input) => {
  const pairs = parseLines(value, line => {
    const [, key, content = ''] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
    if (key !== undefined) return [key, content];
    const form = input === 'env' ? 'KEY=value, or KEY<<END, lines, END' : 'KEY=value';
    throw inputError(input, `this is not of the form ${form}.`, '"SUITE=api"');
  });
  return Object.fromEntries(pairs);
};

const OPTIONS_EXAMPLE = `'{"allow_internet_access": false}'`;

const TAKEN = /^(templateID|timeout|metadata|envVars|secure|autoPause)$/;

export const createOptions: InputParser<Readonly<Record<string, unknown>>> = (value, input) => {
  const text = value || '{}';
  const options = text.startsWith('{') ? parseJson(text) : undefined;
  if (options === undefined) throw inputError(input, 'is not a JSON object.', OPTIONS_EXAMPLE);
  const fields = fieldsOf(options);
  const taken = Object.keys(fields).find(name => TAKEN.test(name));
  if (taken === undefined) return fields;
  const owners = 'template, lifetime, metadata, env or the action itself';
  throw inputError(input, `has ${quote(taken)}. Leave it out: ${owners} sets it.`, OPTIONS_EXAMPLE);
};

// As in the files of GITHUB_ENV: KEY<<END, lines, END.
const BLOCK = /^[ \t]*([^=\s]+?)<<(\S+)[ \t]*\r?\n(?:([^]*?)\r?\n)??[ \t]*\2[ \t\r]*$/gm;

const WRAPPED = /^(["'])(?:(?!\1).)*\1$/;

/** Like `keyValues`, but also takes values of several lines, and rejects quotes around a value. */
export const variables: InputParser<Readonly<Record<string, string>>> = (value, input) => {
  const texts = new Map<string, string>();
  const lines = value.replace(BLOCK, (block: string, key: string, _: string, text = '') => {
    // No input can contain NUL.
    const mark = `\0${texts.size}`;
    texts.set(mark, String(text));
    // Keep the number of lines, since messages give line numbers.
    return `${key}=${mark}${block.replace(/[^\n]/g, '')}`;
  });
  const entries = Object.entries(keyValues(lines, input)).map(([key, content]) => {
    if (!WRAPPED.test(content)) return [key, texts.get(content) ?? content];
    const message = `${key} is in quotation marks, which would be part of the value. Remove them, or to keep them, write three lines: ${key}<<END, the value, and END.`;
    throw inputError(input, message);
  });
  return Object.fromEntries(entries);
};

/** Parses all lines except blank ones and comments. @throws InputError with every line's problem */
export function parseLines<T>(value: string, parse: (line: string) => T): T[] {
  const lines = value
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), place: `line ${index + 1}: ` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'));
  const { parsed, problems } = tryAll(
    lines,
    ({ line }) => parse(line),
    ({ place }) => place,
  );
  if (problems.length > 0) throw new InputError(problems);
  return parsed;
}
