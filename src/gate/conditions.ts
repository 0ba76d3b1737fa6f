import { type MetricKind, metricKind } from './metrics.ts';

export interface Condition {
  /** Normalized spacing: `mem_used_pct.max >= 90%`. */
  readonly text: string;
  readonly metric: string;
  /** If undefined, one matching sample is enough. */
  readonly aggregate: Aggregate | undefined;
  readonly operator: Operator;
  /** In the metric's own unit, such as bytes, MiB or percent. */
  readonly limit: number;
}

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export const AGGREGATES = ['last', 'min', 'max', 'mean'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Aggregate = (typeof AGGREGATES)[number];

/** Rejects a condition at `column`, counted from 1; `message` has no final period. */
export type Fail = (message: string, column: number) => never;

/** Parses `metric[.aggregate] operator number[unit]`. */
export function parseCondition(line: string, fail: Fail): Condition {
  const next = openWords(line);
  const { metric, aggregate } = parseName(next(/[\p{L}_][\p{L}\p{N}_.:/-]*(?:\s+\.\w+)?/uy), fail);
  const operator = parseOperator(next(/[<>=!~&|]+/y), fail);
  const number = next(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\d.])/iy);
  const amount = parseNumber(number, operator, fail);
  const unit = parseUnit(next(/\S.*/y), metric, fail);
  const limit = inOwnUnit(amount, unit, metricKind(metric));
  checkPercentage({ metric, limit, number, unit }, fail);
  const dotted = aggregate === undefined ? '' : `.${aggregate}`;
  const text = `${metric}${dotted} ${operator} ${number.text}${unit}`;
  return { text, metric, aggregate, operator, limit };
}

interface Word {
  readonly text: string;
  readonly column: number;
  readonly rest: string;
}

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

function parseName({ text: written, column, rest }: Word, fail: Fail) {
  const text = written.replace(/\s+/, '');
  if (text === '')
    return fail(`a metric was expected${butFound(rest)}, such as mem_used_pct`, column);
  const dot = text.lastIndexOf('.');
  const metric = text.slice(0, Math.max(dot, 0));
  const aggregate = AGGREGATES.find(each => each === text.slice(dot + 1));
  if (metric !== '' && aggregate !== undefined) return { metric, aggregate };
  // An agent's own metrics may contain dots.
  if (metricKind(metric) === undefined) return { metric: text, aggregate: undefined };
  const others = AGGREGATES.join(', ');
  return fail(`"${text.slice(dot + 1)}" is not one of the aggregates ${others}`, column + dot + 1);
}

function parseOperator({ text, column, rest }: Word, fail: Fail): Operator {
  const operator = OPERATORS.find(each => each === text);
  return operator ?? fail(`one of ${OPERATORS.join(' ')} was expected${butFound(rest)}`, column);
}

function parseNumber({ text, column, rest }: Word, operator: Operator, fail: Fail): number {
  if (rest === '') return fail(`nothing follows ${operator}: is an expression empty?`, column);
  if (text === '') return fail(`a number was expected${butFound(rest)}, such as 90 or 1.5`, column);
  if (/^,\d/.test(rest.slice(text.length)))
    return fail('write the number without a comma, such as 1.5 or 1500', column);
  const amount = Number(text);
  return Number.isFinite(amount) ? amount : fail(`${text} is too large a number`, column);
}

const BYTES: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);

const BYTE_UNITS = [...BYTES.keys()];

const UNITS: Readonly<Record<MetricKind, readonly string[]>> = {
  percentage: ['', '%'],
  bytes: BYTE_UNITS,
  mebibytes: ['', ...BYTE_UNITS],
  plain: [''],
};

const ANY_UNIT = ['', '%', ...BYTE_UNITS];

function parseUnit({ text, column }: Word, metric: string, fail: Fail): string {
  const kind = metricKind(metric);
  const valid = kind === undefined ? ANY_UNIT : UNITS[kind];
  const unit = valid.find(each => each.toLowerCase() === text.trim().toLowerCase());
  if (unit !== undefined) return unit;
  if (/(^|\s)#/.test(text)) return fail('a comment needs a line of its own', column);
  if (text === '') return fail(`${metric} is in bytes and needs a unit, such as 512MiB`, column);
  const advice = `${adviceOf(valid)}, and one condition per line`;
  return fail(`${text} is not a unit of ${metric}: write ${advice}`, column);
}

function adviceOf(valid: readonly string[]): string {
  const units = valid.filter(each => each !== '');
  if (units.length === 0) return 'no unit';
  const names = units.length === 1 ? units.join() : `one of ${units.join(' ')}`;
  return valid.includes('') ? `${names}, or no unit` : names;
}

function inOwnUnit(amount: number, unit: string, kind: MetricKind | undefined): number {
  const factor = BYTES.get(unit);
  if (factor === undefined) return amount;
  // Powers of two multiply exactly, but 1.005 * 1000 is 1004.9999999999999.
  const isExact = /^B$|iB$/.test(unit) || Number.isInteger(amount);
  const bytes = isExact ? amount * factor : Number((amount * factor).toPrecision(15));
  return kind === 'mebibytes' ? bytes / 2 ** 20 : bytes;
}

interface Limit {
  readonly metric: string;
  readonly limit: number;
  readonly number: Word;
  readonly unit: string;
}

function checkPercentage({ metric, limit, number, unit }: Limit, fail: Fail): void {
  if (metricKind(metric) !== 'percentage') return;
  if (limit < 0 || limit > 100)
    fail(`${metric} is a percentage, which is between 0 and 100`, number.column);
  if (unit === '' && limit > 0 && limit < 1) {
    const percent = Number((limit * 100).toPrecision(15));
    fail(`write ${percent}, or ${number.text}% if you mean it`, number.column);
  }
}

function butFound(rest: string): string {
  return rest === '' ? '' : `, not ${rest}`;
}
