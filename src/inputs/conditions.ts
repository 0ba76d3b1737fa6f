import { type Condition, OPERATORS } from '../gate/judge.ts';
import { AGGREGATE_NAMES, isAggregate, type Unit, unitOf } from '../gate/metrics.ts';
import { quote } from '../text/escape.ts';
import { inputError } from './input-error.ts';
import { rejectMistakes } from './mistakes.ts';
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

const CONDITION =
  /^([\p{L}_][\p{L}\p{N}_.:/-]*)\s*([<>=!]+)\s*(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(\S*)$/iu;

const FORM = `this is not of the form METRIC OPERATOR NUMBER, with one of ${OPERATORS.join(' ')}. Write one condition or comment per line, which in fail-if and warn-if means "or"; in YAML, the list begins with |. If the number is missing, an expression may be empty`;

const UNITS: Readonly<Record<Unit | 'unknown', readonly string[]>> = {
  percentage: ['%', ''],
  bytes: SIZE_UNITS,
  mebibytes: [...SIZE_UNITS, ''],
  plain: [''],
  unknown: ['%', ...SIZE_UNITS, ''],
};

function parseCondition(line: string, input: string, example: string): Condition {
  rejectMistakes('condition', line, input, example);
  const problem = (why: string, better = example) =>
    inputError(input, `${quote(line)}: ${why}.`, better);
  const [, name = '', sign, number = '', suffix = ''] = CONDITION.exec(line) ?? [];
  const operator = OPERATORS.find(each => each === sign);
  if (operator === undefined) throw problem(FORM);
  const [metric, aggregate] = splitName(name);
  if (aggregate !== undefined && !isAggregate(aggregate))
    throw problem(`"${aggregate}" is not one of the aggregates ${AGGREGATE_NAMES.join(', ')}`);
  const metricUnit = unitOf(metric) ?? 'unknown';
  const units = UNITS[metricUnit];
  const unit = findUnit(units, suffix);
  if (unit === undefined) {
    const right = units.map(each => each || 'no unit').join(' or ');
    const better = units.includes('MiB') ? `${name} ${sign} 512MiB` : example;
    throw problem(`write the number with ${right}, not with ${suffix || 'no unit'}`, better);
  }
  const factor = BYTES_PER_UNIT[unit];
  // Round to whole bytes, since 1.005 * 1000 is 1004.9999999999999.
  const amount = factor === undefined ? Number(number) : Math.round(Number(number) * factor);
  const mistake = findAmountMistake(amount, metricUnit, unit);
  if (mistake !== undefined) throw problem(mistake);
  const limit = metricUnit === 'mebibytes' && factor !== undefined ? amount / 2 ** 20 : amount;
  const limitText = `${number} ${unit || (IMPLIED_UNITS[metricUnit] ?? '')}`.trim();
  return {
    text: `${name} ${sign} ${number}${unit}`,
    metric,
    aggregate,
    operator,
    limit,
    limitText,
  };
}

function findAmountMistake(amount: number, metricUnit: string, unit: string): string | undefined {
  if (metricUnit === 'bytes' && amount < 0) return 'bytes are never negative';
  if (metricUnit !== 'percentage') return undefined;
  if (amount < 0 || amount > 100) return `${amount} is not a percentage from 0 to 100`;
  const isFraction = unit === '' && amount > 0 && amount < 1;
  return isFraction ? `write a number from 1 to 100, or ${amount}% if you mean it` : undefined;
}

const IMPLIED_UNITS: Readonly<Record<string, string>> = { percentage: '%', mebibytes: 'MiB' };

/** Splits at the last dot, unless it is part of a custom metric's name, such as `gpu.0`. */
function splitName(name: string): readonly [metric: string, aggregate?: string] {
  const [, metric = '', aggregate = ''] = /^(.+)\.(.*)$/.exec(name) ?? [];
  return isAggregate(aggregate) || unitOf(metric) !== undefined ? [metric, aggregate] : [name];
}
