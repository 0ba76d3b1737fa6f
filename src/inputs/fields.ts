import { formatDuration } from '../text/format.ts';
import { quote } from '../text/visible.ts';
import { parseAll } from './input-error.ts';

/** Input values by name, as the runner passes them. One that is not set is missing or empty. */
export type RawInputs = Readonly<Record<string, string>>;

/** How one input is parsed, and how the debug log shows it. */
export interface Field<T> {
  readonly parse: Parser<T>;
  show(this: void, value: T): string;
  readonly isSecret: boolean;
}

/** Parses a trimmed value, or refuses it. `all` has every input, for rules that span two. */
export type Parser<T> = (value: string, refuse: Refuse, all: RawInputs) => T;

export type Refuse = (message: string, example: string) => never;

export function field<T>(parse: Parser<T>, show: (value: T) => string = showText): Field<T> {
  return { parse, show, isSecret: false };
}

function showText(value: unknown): string {
  return value === '' || value === undefined ? 'empty' : JSON.stringify(value);
}

/** An input whose value is never shown. */
export function secret(parse: Parser<string>): Field<string> {
  return { parse, show: value => (value === '' ? 'empty' : 'set'), isSecret: true };
}

export const text = field<string>(value => value);

/** A switch, in the spellings of YAML 1.2. Empty is `fallback`. */
export function flag(fallback: boolean): Field<boolean> {
  return field((value, refuse) => {
    if (value === '') return fallback;
    if (/^(true|True|TRUE)$/.test(value)) return true;
    if (/^(false|False|FALSE)$/.test(value)) return false;
    return refuse(`${quote(value)} is neither true nor false.`, String(fallback));
  });
}

/** One of the words given. Empty is the first of them. */
export function choice<const W extends string>(first: W, ...others: readonly W[]): Field<W> {
  const words = [first, ...others];
  return field(
    (value, refuse) => {
      const word = value === '' ? first : words.find(candidate => candidate === value);
      return word ?? refuse(`${quote(value)} is not one of ${words.join(', ')}.`, first);
    },
    word => word,
  );
}

/** A whole number from `min` to `max`. Empty is `fallback`. */
export function wholeNumber(min: number, max: number, fallback: number): Field<number> {
  return field((value, refuse) => {
    if (value === '') return fallback;
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
  });
}

const MILLISECONDS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));

// Node's timers take at most 2^31 - 1 ms, which is 24.8 days.
const LONGEST = 24 * 3_600_000;

/** A duration such as `500ms`, `30s`, `5m` or `2h`, in milliseconds, from `min` to a day. */
export function duration(min: number, fallback: string): Field<number> {
  return field((value, refuse) => {
    const ms = parseDuration(value === '' ? fallback : value);
    if (ms !== undefined && ms >= min && ms <= LONGEST) return ms;
    return refuse(
      `${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`,
      fallback,
    );
  }, formatDuration);
}

function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = MILLISECONDS.get(unit);
  return factor === undefined ? undefined : Math.round(Number(number) * factor);
}

/** Parses each trimmed line, counted from 1. @throws InputError with the problems of all lines */
export function parseLines<T>(
  value: string,
  parseLine: (line: string, number: number) => readonly T[],
): T[] {
  return parseAll(value.split(/\r?\n/).entries(), ([index, line]) =>
    parseLine(line.trim(), index + 1),
  );
}
