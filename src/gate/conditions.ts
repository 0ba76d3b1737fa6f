import { compare, type ExactNumber, exactly, multiply, parseDecimal } from './exact-number.ts';
import { type MetricKind, metricKind, nearest, nearestMetric } from './metrics.ts';

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

/** Parses one condition, `metric[.aggregate] operator number[unit]`. */
export function parseCondition(line: string, fail: Fail): Condition {
  const next = wordsOf(line);
  const metric = readMetric(next(/[A-Za-z_][\w-]*/y), fail);
  const aggregate = readAggregate(next(/\.\w*/y), fail);
  const operator = readOperator(next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
  const number = next(/-?[\d.]+(?:e[+-]?\d+)?/y);
  const value =
    parseDecimal(number.text) ?? fail(`a number was expected${found(number)}, such as 90 or 1.5`, number.column);
  const unit = next(/\S(?:.*\S)?/y);
  if (ANOTHER.test(unit.text)) fail('write one condition per line: put the rest on its own line', unit.column);
  const limit = toMetricUnit(metric, value, unit, fail);
  const dotted = aggregate === undefined ? '' : `.${aggregate}`;
  const text = `${metric}${dotted} ${operator} ${number.text}${unit.text}`;
  return { text, metric, aggregate, operator, limit };
}

// What joins conditions in other languages.
const ANOTHER = /^\S*\s*(?:&|\||(?:and|or)\b|[,;]\s*[A-Za-z])/i;

interface Word {
  /** Empty where nothing of the kind stands there. */
  readonly text: string;
  /** Of its first character, from 1. */
  readonly column: number;
  /** What stands there instead, to the end of the line. */
  readonly rest: string;
}

/** Reads a line word by word; white space between words is passed over. */
function wordsOf(line: string): (pattern: RegExp) => Word {
  let at = 0;
  return pattern => {
    while (/\s/.test(line.charAt(at))) at += 1;
    pattern.lastIndex = at;
    const text = pattern.exec(line)?.[0] ?? '';
    const word = { text, column: at + 1, rest: line.slice(at).trim() };
    at += text.length;
    return word;
  };
}

function readMetric(word: Word, fail: Fail): string {
  const { text, column } = word;
  if (text === '') return fail(`a metric was expected${found(word)}, such as mem_used_pct`, column);
  const meant = metricKind(text) === undefined ? nearestMetric(text) : undefined;
  return meant === undefined ? text : fail(`there is no metric ${text}; did you mean ${meant}?`, column);
}

function readAggregate({ text, column }: Word, fail: Fail): Aggregate | undefined {
  if (text === '') return undefined;
  const name = text.slice(1);
  return AGGREGATES.find(each => each === name) ?? fail(unknown('aggregate', name, AGGREGATES), column);
}

// Spellings of other languages and tools, which letters alone would not lead to the right one.
const SLIPS: ReadonlyMap<string, Operator | Aggregate> = new Map([
  ['=>', '>='],
  ['=<', '<='],
  ['!==', '!='],
  ['<>', '!='],
  ['peak', 'max'],
  ['avg', 'mean'],
  ['average', 'mean'],
]);

function readOperator({ text, column, rest }: Word, fail: Fail): Operator {
  const written = text === '' ? rest.slice(0, 2) : text;
  return OPERATORS.find(each => each === text) ?? fail(unknown('operator', written, OPERATORS), column);
}

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

const BYTES = Object.keys(BYTE_UNITS);
const UNITS = ['%', ...BYTES];

/** The units that a metric takes beside none, and what to say of another. */
const FITTING: Readonly<Record<MetricKind, { units: readonly string[]; advice: string }>> = {
  percentage: { units: ['%'], advice: 'which is in percent: write % or no unit' },
  bytes: { units: BYTES, advice: `which is in bytes: write one of ${BYTES.join(', ')}` },
  mebibytes: { units: BYTES, advice: `which is in MiB: write no unit or one of ${BYTES.join(', ')}` },
  plain: { units: [], advice: 'which is a plain number: write no unit' },
};

/** The number in the metric's own unit. A metric that only the agent knows takes any unit, bytes being its own. */
function toMetricUnit(metric: string, value: ExactNumber, unit: Word, fail: Fail): ExactNumber {
  const { text, column } = unit;
  const kind = metricKind(metric);
  if (text === '' && kind === 'bytes')
    return fail(`${metric} is in bytes and needs a unit, such as 1GiB or 512MiB`, column);
  if (text !== '' && !UNITS.includes(text)) return fail(unknown('unit', text, UNITS), column);
  if (kind === 'percentage' && !isPercentage(value))
    return fail(`${metric} is a percentage, which is between 0 and 100`, column);
  if (text === '') return value;
  if (kind !== undefined && !FITTING[kind].units.includes(text))
    return fail(`${text} does not fit ${metric}, ${adviceOn(metric, kind, text)}`, column);
  const numerator = BYTE_UNITS[text] ?? 1n;
  const denominator = kind === 'mebibytes' ? MEBIBYTE : 1n;
  return multiply(value, { numerator, denominator });
}

function adviceOn(metric: string, kind: MetricKind, unit: string): string {
  const percentage = `${metric}_pct`;
  return unit === '%' && metricKind(percentage) === 'percentage' ? `but ${percentage}` : FITTING[kind].advice;
}

function isPercentage(value: ExactNumber): boolean {
  return compare(value, exactly(0n)) >= 0 && compare(value, exactly(100n)) <= 0;
}

function unknown(what: string, written: string, valid: readonly string[]): string {
  const lower = written.toLowerCase();
  const near =
    SLIPS.get(lower) ??
    (lower === '' ? undefined : valid.find(each => each.toLowerCase().startsWith(lower))) ??
    nearest(written, valid);
  const advice = near === undefined ? `use one of ${valid.join(' ')}` : `did you mean ${near}?`;
  return written === '' ? `an ${what} is missing; ${advice}` : `there is no ${what} ${written}; ${advice}`;
}

function found({ rest }: Word): string {
  return rest === '' ? '' : `, not ${rest}`;
}
