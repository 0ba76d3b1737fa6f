import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  changeStrings,
  parseExactly,
  parseKeepingDigits,
  stringifyExactly,
} from '../../src/text/exact-json.ts';

describe('parseExactly', () => {
  const cases: Readonly<Record<string, unknown>> = {
    '0': 0n,
    '-0': 0n,
    '-7': -7n,
    '9007199254740993': 9007199254740993n,
    '9223372036854775807': 9223372036854775807n,
    '123456789012345678901234567890': 123456789012345678901234567890n,
    '1.5': 1.5,
    '4.0': 4,
    '1e3': 1000,
    '1e400': Number.POSITIVE_INFINITY,
    '"9007199254740993"': '9007199254740993',
    null: null,
    true: true,
    '[1,[2.5]]': [1n, [2.5]],
  };
  for (const [text, expected] of Object.entries(cases)) {
    test(text, () => assert.deepEqual(parseExactly(text), expected));
  }

  test('of keys given twice the last counts', () => {
    assert.deepEqual(parseExactly('{"a":1,"a":2}'), { a: 2n });
  });

  test('the key __proto__ is a key as any other', () => {
    const parsed = parseExactly('{"__proto__":{"a":1}}');
    assert.deepEqual(Object.entries(parsed ?? {}), [['__proto__', { a: 1n }]]);
  });

  for (const text of ['', '{', 'NaN', '01', "{'a':1}", '\ufeff{}']) {
    test(`${JSON.stringify(text)} is no JSON`, () => assert.throws(() => parseExactly(text), SyntaxError));
  }
});

describe('parseKeepingDigits', () => {
  const texts = [
    '9223372036854775807',
    '4.0',
    '1e400',
    '-0',
    '0.10',
    '1E+2',
    '[1.0,{"a":-1.50}]',
    '"1.0"',
    'null',
  ];
  for (const text of texts) {
    test(`${text} is written as it was`, () => {
      assert.equal(JSON.stringify(parseKeepingDigits(text)), text);
    });
  }

  test('white space is not kept', () => {
    assert.equal(JSON.stringify(parseKeepingDigits(' { "a" : 1.0 } ')), '{"a":1.0}');
  });
});

describe('stringifyExactly', () => {
  test('a bigint is written as a number', () => {
    const text = stringifyExactly({ a: 2n ** 64n, b: [-1n], c: 1.5, d: 'x' });
    assert.deepEqual(parseExactly(text), { a: 2n ** 64n, b: [-1n], c: 1.5, d: 'x' });
  });

  test('digits that were kept stay', () => {
    assert.equal(stringifyExactly({ a: parseKeepingDigits('4.00') }), '{"a":4.00}');
  });
});

describe('changeStrings', () => {
  const change = (text: string) => text.replaceAll('s3cret', '***');
  const cases: Readonly<Record<string, string>> = {
    '"s3cret"': '"***"',
    '{"s3cret":["a s3cret b"]}': '{"***":["a *** b"]}',
    '{"a":"\\u0073\\u0033cret"}': '{"a":"***"}',
    '{"a":{"b":[1.0,9223372036854775807,1e400,-0,null,true]}}':
      '{"a":{"b":[1.0,9223372036854775807,1e400,-0,null,true]}}',
    '{"__proto__":{"a":"s3cret"}}': '{"__proto__":{"a":"***"}}',
    ' [ ] ': '[]',
  };
  for (const [text, expected] of Object.entries(cases)) {
    test(text, () => assert.equal(changeStrings(text, change), expected));
  }
  test('what is no JSON is no JSON', () => assert.throws(() => changeStrings('{', change), SyntaxError));
});
