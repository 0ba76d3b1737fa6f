import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Parser, parseInputs } from '../../src/inputs/parse.ts';
import { choice, duration, flag, text, wholeNumber } from '../../src/inputs/values.ts';
import { quote } from '../../src/text/visible.ts';

function parse<T>(parser: Parser<T>, value: string): T {
  return parseInputs({ it: parser }, { it: value }).it;
}

function accepts<T>(parser: Parser<T>, cases: Readonly<Record<string, T>>): void {
  for (const [value, expected] of Object.entries(cases)) {
    test(`${JSON.stringify(value)} is ${String(expected)}`, () => {
      assert.equal(parse(parser, value), expected);
    });
  }
}

function refuses(parser: Parser<unknown>, values: readonly string[], valid: string, example: string): void {
  for (const value of values) {
    test(`${JSON.stringify(value)} is refused`, () => {
      const message = `it: ${JSON.stringify(value)} ${valid} Example: it: ${example}`;
      assert.throws(() => parse(parser, value), { name: 'InputError', message });
    });
  }
}

describe('flag', () => {
  accepts(flag(true), { '': true, true: true, True: true, TRUE: true, ' false ': false, False: false });
  accepts(flag(false), { '': false, FALSE: false, true: true });
  const wrong = ['yes', 'no', 'on', '1', '0', 'tRUE', 'true false', 'null'];
  refuses(flag(false), wrong, 'is neither true nor false.', 'false');
});

describe('choice', () => {
  const color = choice('red', 'green', 'blue');
  accepts<string>(color, { '': 'red', red: 'red', green: 'green', blue: 'blue' });
  refuses(color, ['Red', 'yellow', 'red,green', 'constructor'], 'is not one of red, green, blue.', 'red');
});

describe('wholeNumber', () => {
  accepts(wholeNumber(1, 100, 10), { '': 10, '1': 1, '100': 100, '007': 7, ' 42 ': 42 });
  const wrong = [
    '0',
    '101',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '0x10',
    '1,0',
    '1 0',
    'ten',
    'NaN',
    '٣',
    '9'.repeat(30),
  ];
  refuses(wholeNumber(1, 100, 10), wrong, 'is not a whole number from 1 to 100.', '10');
});

describe('duration', () => {
  const timeout = duration(1, '60s');
  accepts(timeout, {
    '': 60_000,
    '500ms': 500,
    '1ms': 1,
    '30s': 30_000,
    '1.5s': 1500,
    '5m': 300_000,
    '2h': 7_200_000,
    '24h': 86_400_000,
    '0.001s': 1,
  });
  const wrong = [
    '0s',
    '0.4ms',
    '60',
    's',
    '-1s',
    '1 s',
    '30S',
    '1d',
    '1m30s',
    '24.001h',
    '25h',
    '1e3s',
    '٣s',
  ];
  const valid = 'is not a length of time from 1ms to 24h: a number and ms, s, m or h.';
  refuses(timeout, wrong, valid, '60s');
});

describe('text', () => {
  accepts(text(), { '': '', ' a b ': 'a b' });
  accepts(text('x'), { '': 'x', y: 'y' });
});

describe('quote', () => {
  const cases: Readonly<Record<string, string>> = {
    plain: '"plain"',
    'a "b"': '"a \\"b\\""',
    'a\nb\u0000': '"a\\nb\\u0000"',
    'C:\\app': '"C:\\app"',
    ['x'.repeat(100)]: `"${'x'.repeat(100)}"`,
    ['x'.repeat(101)]: `"${'x'.repeat(100)}…"`,
  };
  for (const [value, quoted] of Object.entries(cases)) {
    test(`${JSON.stringify(value).slice(0, 40)} is quoted`, () => assert.equal(quote(value), quoted));
  }

  test('it is in the message of a refusal', () => {
    assert.throws(() => parse(flag(false), 'a\nb'), /"a\\nb"/);
  });
});
