import { type ExactNumber, multiply, parseDecimal } from './exact-number.ts';
import { type Kind, kindOf, nearest, nearestMetric } from './metrics.ts';

/** A condition on the sandbox's metrics, such as `mem_used_pct.max >= 90%`. */
export interface Condition {
  /** The condition in its plainest spelling: `mem_used_pct.max >= 90%`. */
  readonly text: string;
  readonly metric: string;
  /** The one figure of several samples that is compared; without it, any sample's figure counts. */
  readonly aggregate: Aggregate | undefined;
  readonly operator: Operator;
  /** What is compared with, in the metric's own unit: bytes, MiB, percent. */
  readonly limit: ExactNumber;
}

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const AGGREGATES = ['last', 'min', 'max', 'mean'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Aggregate = (typeof AGGREGATES)[number];

/** Ends the parsing of a condition: what is wrong and what is valid, and at which character, from 1. */
export type Fail = (message: string, column: number) => never;

const MEBIBYTE = 2n ** 20n;

const BYTE_UNITS: Readonly<Record<string, bigint>> = {
  B: 1n,
  kB: 10n ** 3n,
  MB: 10n ** 6n,
  GB: 10n ** 9n,
  TB: 10n ** 12n,
  KiB: 2n ** 10n,
  MiB: MEBIBYTE,
  GiB: 2n ** 30n,
  TiB: 2n ** 40n,
};

const UNITS = ['%', ...Object.keys(BYTE_UNITS)];

/** Parses one condition, `metric[.aggregate] operator number[unit]`. */
export function parseCondition(line: string, fail: Fail): Condition {
  const words = scan(line);
  const metric = readMetric(words.next(/[A-Za-z_][\w-]*/y), fail);
  const aggregate = readAggregate(words.next(/\.\w*/y), fail);
  const operator = readOperator(words.next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
  const number = words.next(/-?[\d.]+(?:e[+-]?\d+)?/y);
  const value =
    parseDecimal(number.text) ??
    fail(`a number was expected${found(number)}, such as 90 or 1.5`, number.column);
  const unit = words.next(/\S(?:.*\S)?/y);
  const limit = toMetricUnit(metric, value, unit, fail);
  const dotted = aggregate === undefined ? '' : `.${aggregate}`;
  return {
    text: `${metric}${dotted} ${operator} ${number.text}${unit.text}`,
    metric,
    aggregate,
    operator,
    limit,
  };
}

interface Word {
  /** Empty where nothing of the kind stands there. */
  readonly text: string;
  /** Of its first character, from 1. */
  readonly column: number;
  /** What stands there instead, to the end of the line. */
  readonly rest: string;
}

/** Reads a line word by word; white space between words is passed over. */
function scan(line: string): { next: (pattern: RegExp) => Word } {
  let at = 0;
  return {
    next(pattern) {
      while (/\s/.test(line.charAt(at))) at += 1;
      pattern.lastIndex = at;
      const text = pattern.exec(line)?.[0] ?? '';
      const word = { text, column: at + 1, rest: line.slice(at).trim() };
      at += text.length;
      return word;
    },
  };
}

function readMetric(word: Word, fail: Fail): string {
  if (word.text === '') return fail(`a metric was expected${found(word)}, such as mem_used_pct`, word.column);
  const slip = kindOf(word.text) === undefined ? nearestMetric(word.text) : undefined;
  return slip === undefined
    ? word.text
    : fail(`there is no metric ${word.text}; did you mean ${slip}?`, word.column);
}

function readAggregate(word: Word, fail: Fail): Aggregate | undefined {
  if (word.text === '') return undefined;
  const name = word.text.slice(1);
  return AGGREGATES.find(each => each === name) ?? fail(unknown('aggregate', name, AGGREGATES), word.column);
}

function readOperator(word: Word, fail: Fail): Operator {
  const written = word.text === '' ? word.rest.slice(0, 2) : word.text;
  return (
    OPERATORS.find(each => each === word.text) ??
    fail(unknown('operator', written, OPERATORS, SLIPS.get(written)), word.column)
  );
}

// Spellings of other languages, which letters alone would not lead to the right one.
const SLIPS: ReadonlyMap<string, Operator> = new Map([
  ['=', '=='],
  ['===', '=='],
  ['=>', '>='],
  ['=<', '<='],
  ['!==', '!='],
  ['<>', '!='],
]);

/** The number in the metric's own unit. A metric that only the agent knows takes any unit, bytes being its own. */
function toMetricUnit(metric: string, value: ExactNumber, unit: Word, fail: Fail): ExactNumber {
  if (unit.text === '') return value;
  if (!UNITS.includes(unit.text)) return fail(unknown('unit', unit.text, UNITS), unit.column);
  const kind = kindOf(metric);
  const bytes = BYTE_UNITS[unit.text];
  const fits =
    kind === undefined ||
    (bytes === undefined ? kind === 'percentage' : kind === 'bytes' || kind === 'mebibytes');
  if (!fits) return fail(`${unit.text} does not fit ${metric}, ${VALID[kind]}`, unit.column);
  if (bytes === undefined) return value;
  const inBytes = multiply(value, bytes);
  return kind === 'mebibytes' ? { ...inBytes, denominator: inBytes.denominator * MEBIBYTE } : inBytes;
}

const VALID: Readonly<Record<Kind, string>> = {
  percentage: 'which is in percent: write % or no unit',
  bytes: `which is in bytes: write no unit or one of ${Object.keys(BYTE_UNITS).join(', ')}`,
  mebibytes: `which is in MiB: write no unit or one of ${Object.keys(BYTE_UNITS).join(', ')}`,
  plain: 'which is a plain number: write no unit',
};

function unknown(what: string, written: string, valid: readonly string[], meant?: string): string {
  const lower = written.toLowerCase();
  const near =
    meant ??
    valid.find(each => each.toLowerCase() === lower) ??
    (lower === '' ? undefined : valid.find(each => each.toLowerCase().startsWith(lower))) ??
    nearest(written, valid);
  const advice = near === undefined ? `valid are ${valid.join(' ')}` : `did you mean ${near}?`;
  return written === '' ? `an ${what} is missing; ${advice}` : `there is no ${what} ${written}; ${advice}`;
}

function found({ rest }: Word): string {
  return rest === '' ? '' : `, not ${rest}`;
}
