import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AGGREGATES, OPERATORS } from '../../src/gate/conditions.ts';
import { judge } from '../../src/gate/judge.ts';
import { type Figure, METRICS } from '../../src/gate/metrics.ts';
import { everyCase } from '../telling.ts';
import { parse, Refused, samplesOf } from './given.ts';
import { limitOf, oracle, type Parts } from './oracle.ts';

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'TiB'];
const UNITS: Readonly<Record<string, readonly string[]>> = {
  percentage: ['%'],
  bytes: BYTES,
  mebibytes: BYTES,
  plain: [],
  unknown: ['%', ...BYTES],
};

// Metrics that only some agent reports are no slips of those that are known.
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
  fc.bigInt({ min: -3n, max: 3n }),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
  fc.bigInt({ min: 2n ** 63n - 3n, max: 2n ** 63n - 1n }),
);

const float = fc.oneof(
  fc.constantFrom(0.1, 0.5, 2.5, 90.5, -1.25, 1e-7, 1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const number = fc.oneof(
  whole.map(String),
  float.map(String),
  fc.tuple(whole, fc.nat(99), fc.integer({ min: -9, max: 9 })).map(([a, b, e]) => `${a}.${b}e${e}`),
);

const share = fc.oneof(fc.nat(100), fc.double({ min: 0, max: 100, noNaN: true })).map(String);

const parts: fc.Arbitrary<Parts> = metric.chain(name =>
  fc.record({
    metric: fc.constant(name),
    aggregate: fc.constantFrom(undefined, ...AGGREGATES),
    operator: fc.constantFrom(...OPERATORS),
    number: METRICS[name] === 'percentage' ? share : number,
    unit: fc.constantFrom(...(METRICS[name] === 'bytes' ? [] : ['']), ...(UNITS[METRICS[name] ?? 'unknown'] ?? [])),
  }),
);

const figure: fc.Arbitrary<Figure | undefined> = fc.oneof(whole, float, fc.constant(undefined));

const space = fc.constantFrom('', ' ', '\t', '  ', '\u00a0');

/** A condition with samples, some of which meet its limit exactly or lie next to it. */
const judged = parts.chain(condition => {
  const [numerator, denominator] = limitOf(condition);
  const near = numerator / denominator;
  const limit = Number(condition.number);
  const same = fc.constantFrom<Figure>(near, near - 1n, near + 1n, condition.unit === '' ? limit : near);
  return fc.record({
    condition: fc.constant(condition),
    values: fc.array(fc.oneof(figure, same), { maxLength: 6 }),
    gaps: fc.array(space, { minLength: 5, maxLength: 5 }),
  });
});

function write({ metric, aggregate, operator, number, unit }: Parts, gaps: readonly string[] = []): string {
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
        // A sample without `metric` reports `ts`, which must not pass for it.
        fc.pre(written.metric !== 'ts' || !values.includes(undefined));
        const known = values.filter(value => value !== undefined);
        const condition = parse(write(written));
        const judgement = judge(condition, samplesOf(written.metric, values));
        const isKnown = known.length === values.length;
        assert.equal(judgement.holds, isKnown ? oracle(written, known) : undefined, write(written));
        if (judgement.holds === undefined) return;
        const { numerator, denominator } = judgement.figure;
        const order = numerator * condition.limit.denominator - condition.limit.numerator * denominator;
        assert.equal(judgement.holds, oracle({ ...written, number: '0', unit: '' }, [order]));
      }),
      { numRuns: everyCase ? 3000 : 500 },
    );
  });
});

test('any text is a condition or refused at a place within it', () => {
  const pieces = ['mem_used', '.max', '.', ' ', '>', '>=', '=', '5', '-', '1.5', 'e9', 'GiB', '%', '#', 'ü', '😀'];
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
