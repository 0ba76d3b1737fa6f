import { type Condition, OPERATORS } from '../gate/judge.ts';
import { AGGREGATE_NAMES, isAggregate, type Unit, unitOf } from '../gate/metrics.ts';
import { quote } from '../text/escape.ts';
import { inputError } from './input-error.ts';
import { BYTES_PER_UNIT, findUnit, type InputParser, parseLines, SIZE_UNITS } from './parsers.ts';

export const conditions: InputParser<readonly Condition[]> = (value, input) =>
  parseLines(value, line => parseCondition(line, input, 'mem_used_pct > 80'));

/** Returns undefined if the step does not wait. `ready` adds no condition: any stats will do. */
export const waitConditions: InputParser<readonly Condition[] | undefined> = (value, input) => {
  const lines = parseLines(value, line =>
    /^ready$/i.test(line) ? 'ready' : parseCondition(line, input, 'ready'),
  );
  return lines.length > 0 ? lines.filter(line => line !== 'ready') : undefined;
};

// All groups are optional, so that every line matches and errors can name the part that is wrong.
const CONDITION_PATTERN =
  /^([\p{L}_][\p{L}\p{N}_.:/-]*)?\s*([<>=!~&|]*)\s*([-+.\d]*(?:[eE][-+]?\d+)?)\s*(.*)$/su;

function parseCondition(line: string, input: string, example: string): Condition {
  const problem = (why: string) => inputError(input, `${quote(line)}: ${why}.`, example);
  const [, name = '', sign = '', number = '', suffix = ''] = CONDITION_PATTERN.exec(line) ?? [];
  if (name === '') throw problem('it must begin with a metric, such as mem_used_pct');
  const [metric, aggregate] = splitName(name);
  if (aggregate !== undefined && !isAggregate(aggregate))
    throw problem(`"${aggregate}" is not one of the aggregates ${AGGREGATE_NAMES.join(', ')}`);
  const operator = OPERATORS.find(each => each === sign);
  if (operator === undefined) {
    const found = insteadOf(sign || number || suffix);
    throw problem(`one of ${OPERATORS.join(' ')} was expected${found}`);
  }
  if (number + suffix === '')
    throw problem(`nothing follows ${sign}, perhaps because an expression is empty`);
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(number))
    throw problem(`a number such as 90 or 1.5 was expected${insteadOf(number || suffix)}`);
  const metricUnit = unitOf(metric);
  const unit = findUnit(UNITS[metricUnit ?? 'unknown'], suffix);
  if (unit === undefined) throw problem(explainUnit(suffix, metric));
  const limit = toMetricUnit(Number(number), unit, metricUnit);
  if (metricUnit === 'percentage') {
    const mistake = findPercentageMistake(limit, number + unit);
    if (mistake !== undefined) throw problem(mistake);
  }
  return { text: `${name} ${sign} ${number}${unit}`, metric, aggregate, operator, limit };
}

function insteadOf(written: string): string {
  return written === '' ? '' : `, not ${written}`;
}

/** Splits at the last dot, unless it is part of a custom metric's name, such as `gpu.0`. */
function splitName(name: string): readonly [metric: string, aggregate?: string] {
  const [, metric = '', aggregate = ''] = /^(.+)\.(.*)$/.exec(name) ?? [];
  return isAggregate(aggregate) || unitOf(metric) !== undefined ? [metric, aggregate] : [name];
}

const UNITS: Readonly<Record<Unit | 'unknown', readonly string[]>> = {
  percentage: ['%', ''],
  bytes: SIZE_UNITS,
  mebibytes: [...SIZE_UNITS, ''],
  plain: [''],
  unknown: ['%', ...SIZE_UNITS, ''],
};

function explainUnit(suffix: string, metric: string): string {
  if (/[<>=#]/.test(suffix))
    return 'write one condition or comment per line, which in fail-if and warn-if means "or"; in YAML, the list begins with |';
  if (suffix === '') return `${metric} is in bytes and needs a unit, such as 512MiB`;
  const units = UNITS[unitOf(metric) ?? 'unknown'].map(each => each || 'no unit').join(' or ');
  const [, resource] = /^(mem|disk)_/.exec(metric) ?? [];
  const instead = suffix === '%' && resource ? `, or use ${resource}_used_pct` : '';
  return `${suffix} is not a unit of ${metric}: write ${units}${instead}`;
}

function toMetricUnit(amount: number, unit: string, metricUnit: Unit | undefined): number {
  const factor = BYTES_PER_UNIT[unit];
  if (factor === undefined) return amount;
  // Round to whole bytes, since 1.005 * 1000 is 1004.9999999999999.
  const bytes = Math.round(amount * factor);
  return metricUnit === 'mebibytes' ? bytes / 2 ** 20 : bytes;
}

function findPercentageMistake(limit: number, written: string): string | undefined {
  if (limit < 0 || limit > 100) return `${written} is not a percentage from 0 to 100`;
  if (limit === 0 || limit >= 1 || written.endsWith('%')) return undefined;
  const percent = Number((limit * 100).toPrecision(15));
  return `write ${percent}, or ${written}% if you mean it`;
}
