import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Field, parseFields } from '../../src/inputs/parse.ts';
import { choice, duration, flag, secret, text, wholeNumber } from '../../src/inputs/values.ts';

function parse<T>(it: Field<T>, value: string): T {
  return parseFields({ it }, { it: value }).it;
}

function accepts<T>(it: Field<T>, cases: Readonly<Record<string, T>>): void {
  for (const [value, expected] of Object.entries(cases)) {
    test(`${JSON.stringify(value)} is ${String(expected)}`, () => assert.equal(parse(it, value), expected));
  }
}

function refuses(it: Field<unknown>, values: readonly string[], valid: string, example: string): void {
  for (const value of values) {
    test(`${JSON.stringify(value)} is refused`, () => {
      const message = `it: ${JSON.stringify(value)} ${valid} Example: it: ${example}`;
      assert.throws(() => parse(it, value), { name: 'InputError', message });
    });
  }
}

describe('flag', () => {
  accepts(flag(true), { '': true, true: true, True: true, TRUE: true, ' false ': false, False: false });
  accepts(flag(false), { '': false, FALSE: false, true: true });
  const wrong = ['yes', 'no', 'on', '1', '0', 'tRUE', 'true false', 'null', 'a\nb'];
  refuses(flag(false), wrong, 'is neither true nor false.', 'false');
});

describe('choice', () => {
  const color = choice('red', 'green', 'blue');
  accepts<string>(color, { '': 'red', red: 'red', green: 'green', blue: 'blue' });
  refuses(color, ['Red', 'yellow', 'red,green', 'constructor'], 'is not one of red, green, blue.', 'red');
});

describe('wholeNumber', () => {
  accepts(wholeNumber(1, 100, 10), { '': 10, '1': 1, '100': 100, '007': 7, ' 42 ': 42 });
  const wrong = '0 101 -1 +1 1.0 1e1 0x10 1,0 ten NaN ٣'.split(' ');
  const valid = 'is not a whole number from 1 to 100.';
  refuses(wholeNumber(1, 100, 10), [...wrong, '1 0', '9'.repeat(30)], valid, '10');
});

describe('duration', () => {
  const timeout = duration(1, '60s');
  accepts(timeout, { '': 60_000, '500ms': 500, '1ms': 1, '30s': 30_000, '1.5s': 1500, '0.001s': 1 });
  accepts(timeout, { '5m': 300_000, '2h': 7_200_000, '24h': 86_400_000 });
  const wrong = '0s 0.4ms 60 s -1s 30S 1d 1m30s 24.001h 25h 1e3s ٣s'.split(' ');
  const valid = 'is not a length of time from 1ms to 24h: a number and ms, s, m or h.';
  refuses(timeout, [...wrong, '1 s'], valid, '60s');
});

describe('text', () => accepts(text(), { '': '', ' a b ': 'a b' }));

test('the debug log shows a value so that it can be told from another', () => {
  assert.equal(text().show('a "b"'), '"a \\"b\\""');
  assert.equal(text().show(''), 'empty');
  assert.equal(choice('red', 'green').show('red'), 'red');
  assert.equal(duration(1, '1s').show(90_000), '1 min 30 s');
  assert.equal(flag(true).show(false), 'false');
  assert.equal(secret(value => value).show('s3cret'), '***');
});
