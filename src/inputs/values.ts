import { formatDuration } from '../text/units.ts';
import { quote } from '../text/visible.ts';
import type { Field, Parser } from './parse.ts';

/** An input that is read by `parse`, and shown by `show`: text in quotation marks unless given. */
export function field<T>(parse: Parser<T>, show: (value: T) => string = shown): Field<T> {
  return { parse, show, isSecret: false };
}

/** An input whose value is never shown. */
export function secret(parse: Parser<string>): Field<string> {
  return { parse, show: value => (value === '' ? 'empty' : 'set'), isSecret: true };
}

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

/** A whole number within `min` and `max`, both included. Empty is `fallback`. */
export function wholeNumber(min: number, max: number, fallback: number): Field<number> {
  return field((value, refuse) => {
    const number = value === '' ? fallback : /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
  });
}

const HOUR = 3_600_000;
const MILLISECONDS = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: HOUR }));

// The longest delay that a timer of Node's takes, 2^31 - 1 ms, is 24.8 days.
const LONGEST = 24 * HOUR;

/** A length of time such as `500ms`, `30s`, `5m` or `2h`, in milliseconds, at least `min` and at most a day. */
export function duration(min: number, fallback: string): Field<number> {
  return field((value, refuse) => {
    const ms = milliseconds(value === '' ? fallback : value);
    if (ms >= min && ms <= LONGEST) return ms;
    return refuse(
      `${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`,
      fallback,
    );
  }, formatDuration);
}

/** Not a number where it is no length of time. */
function milliseconds(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  return Math.round(Number(number) * (MILLISECONDS.get(unit) ?? Number.NaN));
}

/** Text as it is. */
export const text = field<string>(value => value);

function shown(value: unknown): string {
  if (value === '' || value === undefined) return 'empty';
  return JSON.stringify(value);
}
