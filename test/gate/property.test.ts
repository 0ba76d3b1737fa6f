import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AGGREGATES, OPERATORS } from '../../src/gate/conditions.ts';
import { judge } from '../../src/gate/judge.ts';
import { METRICS } from '../../src/gate/metrics.ts';
import { everyCase } from '../telling.ts';
import { parse, Refused, samplesOf } from './given.ts';
import { isTooClose, limitOf, oracle, type Parts } from './oracle.ts';

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB'];
const UNITS: Readonly<Record<string, readonly string[]>> = {
  percentage: ['%'],
  bytes: BYTES,
  mebibytes: BYTES,
  plain: [],
  unknown: ['%', ...BYTES],
};

// Metrics that only some agent reports, unlike any known one.
const OTHERS = [
  'mem_cache',
  'mem_rate',
  'tx',
  'gpu_used_pct',
  'gpu_count',
  'cpu_used',
  'toString',
  'fan-speed',
  'Q',
  '_x9',
];
const metric = fc.constantFrom(...Object.keys(METRICS), ...OTHERS);

const whole = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: 2 ** 30, max: 2 ** 40 }),
  fc.integer({ min: 2 ** 53 - 5, max: 2 ** 53 - 1 }),
);

const decimal = fc.oneof(
  fc.constantFrom(0.1, 0.2, 0.1 + 0.2, 0.3, 0.15, 2.5, 90.5, -1.25, 1e-7),
  fc.tuple(fc.nat(99_999), fc.nat(999_999)).map(([a, b]) => Number(`${a}.${b}`)),
);

const number = fc.oneof(
  whole.map(String),
  decimal.map(String),
  fc
    .tuple(fc.nat(999), fc.nat(99), fc.integer({ min: -9, max: 9 }))
    .map(([a, b, e]) => `${a}.${b}e${e}`),
);

const share = fc.tuple(fc.nat(99), fc.nat(9999)).map(([a, b]) => `${a}.${b}`);

const parts: fc.Arbitrary<Parts> = metric.chain(name =>
  fc.record({
    metric: fc.constant(name),
    aggregate: fc.constantFrom(undefined, ...AGGREGATES),
    operator: fc.constantFrom(...OPERATORS),
    number: METRICS[name] === 'percentage' ? share : number,
    unit: fc.constantFrom(
      ...(METRICS[name] === 'bytes' ? [] : ['']),
      ...(UNITS[METRICS[name] ?? 'unknown'] ?? []),
    ),
  }),
);

const figure = fc.oneof(whole, decimal, fc.constant(undefined));

const space = fc.constantFrom('', ' ', '\t', '  ', '\u00a0');

/** A condition with samples, some exactly at its limit or next to it. */
const judged = parts.chain(condition => {
  const [numerator, denominator] = limitOf(condition);
  const near = Number(numerator / denominator);
  const limit = Number(condition.number);
  const same = fc.constantFrom(near, near - 1, near + 1, condition.unit === '' ? limit : near);
  return fc.record({
    condition: fc.constant(condition),
    values: fc.array(fc.oneof(figure, same), { maxLength: 6 }),
    gaps: fc.array(space, { minLength: 5, maxLength: 5 }),
  });
});

function write(
  { metric, aggregate, operator, number, unit }: Parts,
  gaps: readonly string[] = [],
): string {
  const [a = '', b = '', c = '', d = '', e = ''] = gaps;
  return `${a}${metric}${aggregate === undefined ? '' : `${b}.${aggregate}`}${c}${operator}${d}${number}${e}${unit}`;
}

describe('any condition', () => {
  test('is the same however it is spaced, and when it is printed and read back', () => {
    fc.assert(
      fc.property(judged, ({ condition: written, gaps }) => {
        const condition = parse(write(written, gaps));
        assert.deepEqual(parse(condition.text), condition);
        assert.equal(condition.text, write(written, ['', '', ' ', ' ', '']));
      }),
      { numRuns: 1000 },
    );
  });

  test('is judged as exact arithmetic has it, by a figure that bears that out', () => {
    fc.assert(
      fc.property(judged, ({ condition: written, values }) => {
        // A sample without `metric` reports `ts`, which must not count as it.
        fc.pre(written.metric !== 'ts' || !values.includes(undefined));
        const known = values.filter(value => value !== undefined);
        const condition = parse(write(written));
        const judgement = judge(condition, samplesOf(written.metric, values));
        const isKnown = known.length === values.length;
        fc.pre(!isKnown || !isTooClose(written, known));
        assert.equal(judgement.holds, isKnown ? oracle(written, known) : undefined, write(written));
        if (judgement.holds === undefined) return;
        const order = Math.sign(judgement.figure - condition.limit);
        assert.equal(judgement.holds, oracle({ ...written, number: '0', unit: '' }, [order]));
      }),
      { numRuns: everyCase ? 20_000 : 2000 },
    );
  });

  test('of up to three decimals below 64 TiB is judged exactly, to the byte', () => {
    const limits = fc.record({
      metric: fc.constantFrom('mem_used', 'mem_used_mib'),
      aggregate: fc.constant(undefined),
      operator: fc.constantFrom(...OPERATORS),
      number: fc
        .tuple(fc.nat(63), fc.nat(999))
        .map(([a, b]) => `${a}.${String(b).padStart(3, '0')}`),
      unit: fc.constantFrom(...BYTES),
    });
    fc.assert(
      fc.property(limits, fc.integer({ min: -2, max: 2 }), (written, distance) => {
        const [numerator, denominator] = limitOf(written);
        const near = Number(numerator / denominator) + distance;
        const judgement = judge(parse(write(written)), samplesOf(written.metric, [near]));
        assert.equal(judgement.holds, oracle(written, [near]), `${write(written)} at ${near}`);
      }),
      { numRuns: everyCase ? 20_000 : 2000 },
    );
  });
});

test('any text is a condition or refused at a place within it', () => {
  const pieces = [
    'mem_used',
    '.max',
    '.',
    ' ',
    '>',
    '>=',
    '=',
    '5',
    '-',
    '1.5',
    'e9',
    'GiB',
    '%',
    '#',
    'ü',
    '😀',
  ];
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map(list => list.join('')),
  );
  fc.assert(
    fc.property(text, line => {
      try {
        assert.equal(parse(parse(line).text).text, parse(line).text);
      } catch (error) {
        assert.ok(error instanceof Refused, String(error));
        assert.notEqual(error.message, '');
        assert.ok(error.column >= 1 && error.column <= line.length + 1, `${error.column}`);
      }
    }),
    { numRuns: everyCase ? 3000 : 500 },
  );
});
