import { closestWord } from '../text/nearest.ts';
import { type MetricKind, metricKind, nearestMetric } from './metrics.ts';

/** A condition on the sandbox's metrics, such as `mem_used_pct.max >= 90%`. */
export interface Condition {
  /** The condition with plain spacing: `mem_used_pct.max >= 90%`. */
  readonly text: string;
  readonly metric: string;
  /** Which figure of several samples is compared; without it, any sample's figure counts. */
  readonly aggregate: Aggregate | undefined;
  readonly operator: Operator;
  /** In the metric's own unit: bytes, MiB, percent. */
  readonly limit: number;
}

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const AGGREGATES = ['last', 'min', 'max', 'mean'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Aggregate = (typeof AGGREGATES)[number];

/** Refuses a condition at a column, counted from 1, with a valid line if one fits. */
export type Fail = (message: string, column: number, example?: string) => never;

/** Parses one condition, `metric[.aggregate] operator number[unit]`. */
export function parseCondition(line: string, fail: Fail): Condition {
  const next = openWords(line);
  const metric = parseMetric(next(/[A-Za-z_][\w-]*/y), fail);
  const aggregate = parseAggregate(next(/\.\w*/y), fail);
  const operator = parseOperator(next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
  const number = next(/-?[\d.]+(?:e[+-]?\d+)?/y);
  requireNumber(number, operator, fail);
  const unit = next(/\S(?:.*\S)?/y);
  if (ANOTHER.test(unit.text))
    fail('write one condition per line: put the rest on its own line', unit.column);
  requireUnit(unit, metric, operator, fail);
  const limit = parseLimit(number, unit, metric, fail);
  const dotted = aggregate === undefined ? '' : `.${aggregate}`;
  const text = `${metric}${dotted} ${operator} ${number.text}${unit.text}`;
  return { text, metric, aggregate, operator, limit };
}

/** True for `ready`, which any stats satisfy. Refuses a slip of it. */
export function isReady(line: string, fail: Fail): boolean {
  if (line === 'ready') return true;
  const isSlip =
    /^(true|yes|up|running|started|healthy|.*\bis ready)$/i.test(line) ||
    (/^\w+$/.test(line) && closestWord(line.toLowerCase(), ['ready'], 0.5) !== undefined);
  return isSlip ? fail('did you mean ready?', 1, 'ready') : false;
}

// The start of a second condition, as other languages join them.
const ANOTHER = /^\S*\s*(?:&|\||(?:and|or)\b|[,;]\s*[A-Za-z])/i;

interface Word {
  /** Empty if the line does not go on with such a word. */
  readonly text: string;
  /** The column of its first character, from 1. */
  readonly column: number;
  /** The rest of the line from there. */
  readonly rest: string;
}

/** Reads a line word by word, each by its pattern; white space between words is ignored. */
function openWords(line: string): (pattern: RegExp) => Word {
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

function parseMetric(word: Word, fail: Fail): string {
  const { text, column } = word;
  if (text === '')
    return fail(`a metric was expected${butFound(word)}, such as mem_used_pct`, column);
  if (metricKind(text) !== undefined) return text;
  const meant = nearestMetric(text);
  if (meant === undefined) return text;
  return fail(`there is no metric ${text}; did you mean ${meant}?`, column);
}

function parseAggregate({ text, column }: Word, fail: Fail): Aggregate | undefined {
  if (text === '') return undefined;
  const name = text.slice(1);
  const aggregate = AGGREGATES.find(each => each === name);
  return aggregate ?? fail(unknown('aggregate', name, AGGREGATES), column);
}

// Other languages and tools spell these too differently for `closestWord`.
const SPELLINGS: ReadonlyMap<string, Operator | Aggregate | '%'> = new Map([
  ['=>', '>='],
  ['=<', '<='],
  ['!==', '!='],
  ['<>', '!='],
  ['peak', 'max'],
  ['avg', 'mean'],
  ['average', 'mean'],
  ['percent', '%'],
  ['above', '>'],
  ['below', '<'],
  ['is', '=='],
  ['=', '=='],
]);

function parseOperator({ text, column, rest }: Word, fail: Fail): Operator {
  const operator = OPERATORS.find(each => each === text);
  const written = text === '' ? rest.slice(0, 2) : text;
  return operator ?? fail(unknown('operator', written, OPERATORS), column);
}

function requireNumber(number: Word, operator: Operator, fail: Fail): void {
  if (number.rest === '')
    fail(`nothing follows ${operator}: is the expression empty?`, number.column);
  if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(number.text))
    fail(`a number was expected${butFound(number)}, such as 90 or 1.5`, number.column);
}

/** Powers of ten and of two that a unit multiplies by, to bytes. */
interface Factor {
  readonly tens: number;
  readonly twos: number;
}

const NO_FACTOR: Factor = { tens: 0, twos: 0 };

const BYTE_FACTORS: ReadonlyMap<string, Factor> = new Map([
  ['B', NO_FACTOR],
  ['kB', { tens: 3, twos: 0 }],
  ['MB', { tens: 6, twos: 0 }],
  ['GB', { tens: 9, twos: 0 }],
  ['TB', { tens: 12, twos: 0 }],
  ['KiB', { tens: 0, twos: 10 }],
  ['MiB', { tens: 0, twos: 20 }],
  ['GiB', { tens: 0, twos: 30 }],
  ['TiB', { tens: 0, twos: 40 }],
]);

const BYTE_UNITS = [...BYTE_FACTORS.keys()];
const UNITS = ['%', ...BYTE_UNITS];

/** The units that a metric takes, and the advice if another was written. */
const FITTING: Readonly<Record<MetricKind, { units: readonly string[]; advice: string }>> = {
  percentage: { units: ['%'], advice: 'which is in percent: write % or no unit' },
  bytes: { units: BYTE_UNITS, advice: `which is in bytes: write one of ${BYTE_UNITS.join(', ')}` },
  mebibytes: {
    units: BYTE_UNITS,
    advice: `which is in MiB: write no unit or one of ${BYTE_UNITS.join(', ')}`,
  },
  plain: { units: [], advice: 'which is a plain number: write no unit' },
};

/** Refuses a unit that the metric does not take. A metric that only the agent knows takes any. */
function requireUnit({ text, column }: Word, metric: string, operator: string, fail: Fail): void {
  const kind = metricKind(metric);
  if (text === '') {
    if (kind !== 'bytes') return;
    const example = `${metric} ${operator} 512MiB`;
    fail(`${metric} is in bytes and needs a unit, such as ${example}`, column, example);
  }
  if (!UNITS.includes(text)) fail(unknown('unit', text, UNITS), column);
  if (kind !== undefined && !FITTING[kind].units.includes(text))
    fail(`${text} does not fit ${metric}, ${adviceOn(metric, kind, text)}`, column);
}

function adviceOn(metric: string, kind: MetricKind, unit: string): string {
  const percentage = `${metric.replace(/_(free|total)$/, '_used')}_pct`;
  return unit === '%' && metricKind(percentage) === 'percentage'
    ? `but ${percentage}`
    : FITTING[kind].advice;
}

/** The limit in the metric's own unit. */
function parseLimit(number: Word, unit: Word, metric: string, fail: Fail): number {
  const kind = metricKind(metric);
  const limit = multiply(number.text, BYTE_FACTORS.get(unit.text) ?? NO_FACTOR);
  const ownLimit = kind === 'mebibytes' && unit.text !== '' ? limit / 2 ** 20 : limit;
  if (!Number.isFinite(ownLimit)) fail(`${number.text} is too large a number`, number.column);
  if (kind === 'percentage' && (ownLimit < 0 || ownLimit > 100))
    fail(`${metric} is a percentage, which is between 0 and 100`, number.column);
  return ownLimit;
}

/** Multiplies in the exponent, so it rounds once: 1.005 * 1000 would be 1004.9999999999999. */
function multiply(decimal: string, { tens, twos }: Factor): number {
  const [mantissa, exponent = '0'] = decimal.split('e');
  return Number(`${mantissa}e${Number(exponent) + tens}`) * 2 ** twos;
}

function unknown(what: string, written: string, valid: readonly string[]): string {
  const lower = written.toLowerCase();
  const completed = valid.find(each => lower !== '' && each.toLowerCase().startsWith(lower));
  const near = SPELLINGS.get(lower) ?? completed ?? closestWord(written, valid);
  const advice = near === undefined ? `use one of ${valid.join(' ')}` : `did you mean ${near}?`;
  return written === ''
    ? `an ${what} is missing; ${advice}`
    : `there is no ${what} ${written}; ${advice}`;
}

function butFound({ rest }: Word): string {
  return rest === '' ? '' : `, not ${rest}`;
}
