import { AGGREGATE_NAMES, type Aggregate, isAggregate, type Unit, unitOf } from './metrics.ts';

export interface Condition {
  /** The condition as shown to users, with normalized spacing: `mem_used_pct.max >= 90%`. */
  readonly text: string;
  readonly metric: string;
  /** If undefined, any single sample can trip the condition. */
  readonly aggregate: Aggregate | undefined;
  readonly operator: Operator;
  /** In the metric's own unit, such as bytes, MiB or percent. */
  readonly limit: number;
}

const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
export type Operator = (typeof OPERATORS)[number];

type RejectCondition = (message: string) => never;

// Every group is optional, so any line matches and the error can name its wrong part.
const PARTS =
  /^([\p{L}_][\p{L}\p{N}_.:/-]*(?:\s+\.\w+)?)?\s*([<>=!~&|]*)\s*([-+.\d]*(?:[eE][-+]?\d+)?)\s*(.*)$/su;

/** Parses `metric[.aggregate] operator number[unit]`; messages to `reject` have no final period. */
export function parseCondition(line: string, reject: RejectCondition): Condition {
  const [, name = '', sign = '', number = '', suffix = ''] = PARTS.exec(line.trim()) ?? [];
  const qualified = name.replace(/\s+/, '');
  const { metric, aggregate } = parseName(qualified, reject);
  const operator = OPERATORS.find(each => each === sign);
  if (operator === undefined)
    return reject(
      `one of ${OPERATORS.join(' ')} was expected${insteadOf(sign || number || suffix)}`,
    );
  if (number + suffix === '')
    return reject(`nothing follows ${sign}, perhaps because an expression is empty`);
  const amount = parseNumber(number, suffix, reject);
  const unit = parseUnit(suffix, metric, reject);
  const metricUnit = unitOf(metric);
  const limit = toMetricUnit(amount, unit, metricUnit);
  if (metricUnit === 'percentage') checkPercentage(limit, number + unit, reject);
  const text = `${qualified} ${sign} ${number}${unit}`;
  return { text, metric, aggregate, operator, limit };
}

function parseName(name: string, reject: RejectCondition) {
  if (name === '') return reject('it must begin with a metric, such as mem_used_pct');
  const dot = name.lastIndexOf('.');
  const metric = name.slice(0, Math.max(dot, 0));
  const suffix = name.slice(dot + 1);
  if (metric !== '' && isAggregate(suffix)) return { metric, aggregate: suffix };
  // Custom metrics may contain dots.
  if (unitOf(metric) === undefined) return { metric: name, aggregate: undefined };
  return reject(`"${suffix}" is not one of the aggregates ${AGGREGATE_NAMES.join(', ')}`);
}

function parseNumber(number: string, suffix: string, reject: RejectCondition): number {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(number))
    return reject(`a number such as 90 or 1.5 was expected${insteadOf(number || suffix)}`);
  const amount = Number(number);
  return Number.isFinite(amount) ? amount : reject(`${number} is too large a number`);
}

export const BYTES: Readonly<Record<string, number>> = {
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

const BYTE_UNITS = Object.keys(BYTES);

const UNITS: Readonly<Record<Unit | 'unknown', readonly string[]>> = {
  percentage: ['%', ''],
  bytes: BYTE_UNITS,
  mebibytes: [...BYTE_UNITS, ''],
  plain: [''],
  unknown: ['%', ...BYTE_UNITS, ''],
};

function parseUnit(suffix: string, metric: string, reject: RejectCondition): string {
  const valid = UNITS[unitOf(metric) ?? 'unknown'];
  const unit = valid.find(each => each.toLowerCase() === suffix.toLowerCase());
  if (unit !== undefined) return unit;
  if (/[<>=#]/.test(suffix))
    return reject(
      'write one condition or comment per line, which in fail-if and warn-if means "or"; in YAML, the list begins with |',
    );
  if (suffix === '') return reject(`${metric} is in bytes and needs a unit, such as 512MiB`);
  const units = valid.map(each => each || 'no unit').join(' or ');
  const [, resource] = /^(mem|disk)_/.exec(metric) ?? [];
  const instead = suffix === '%' && resource ? `, or use ${resource}_used_pct` : '';
  return reject(`${suffix} is not a unit of ${metric}: write ${units}${instead}`);
}

function toMetricUnit(amount: number, unit: string, metricUnit: Unit | undefined): number {
  const factor = BYTES[unit];
  if (factor === undefined) return amount;
  // 1.005 * 1000 is 1004.9999999999999.
  const bytes = Math.round(amount * factor);
  return metricUnit === 'mebibytes' ? bytes / 2 ** 20 : bytes;
}

function checkPercentage(limit: number, written: string, reject: RejectCondition): void {
  if (limit < 0 || limit > 100) reject(`${written} is not a percentage from 0 to 100`);
  if (limit === 0 || limit >= 1 || written.endsWith('%')) return;
  const percent = Number((limit * 100).toPrecision(15));
  reject(`write ${percent}, or ${written}% if you mean it`);
}

function insteadOf(written: string): string {
  return written === '' ? '' : `, not ${written}`;
}
