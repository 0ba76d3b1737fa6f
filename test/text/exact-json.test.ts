import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeStrings, parseExactly, stringifyExactly } from '../../src/text/exact-json.ts';

const PARSED: Readonly<Record<string, unknown>> = {
  '-0': 0n,
  '-7': -7n,
  '123456789012345678901234567890': 123456789012345678901234567890n,
  '4.0': 4,
  '1e3': 1000,
  '1e400': Number.POSITIVE_INFINITY,
  '"9007199254740993"': '9007199254740993',
  '[1,[2.5],null,true]': [1n, [2.5], null, true],
  '{"a":1,"a":2}': { a: 2n },
};

for (const [text, expected] of Object.entries(PARSED)) {
  test(`${text} is parsed exactly`, () => assert.deepEqual(parseExactly(text), expected));
}

test('the key __proto__ is a key as any other', () => {
  assert.deepEqual(Object.entries(parseExactly('{"__proto__":{"a":1}}') ?? {}), [['__proto__', { a: 1n }]]);
});

test('what is no JSON is a syntax error', () => {
  for (const text of ['', '{', 'NaN', '01', "{'a':1}", '\ufeff{}']) {
    assert.throws(() => parseExactly(text), SyntaxError);
    assert.throws(() => changeStrings(text, string => string), SyntaxError);
  }
});

test('numbers are written with the digits they had, bigint as numbers', () => {
  const text = '[9223372036854775807,4.0,1e400,-0,0.10,1E+2,{"a":-1.50},"1.0",null]';
  assert.equal(
    changeStrings(text, string => string),
    text,
  );
  assert.equal(stringifyExactly({ a: 2n ** 64n, b: [-1n], c: 1.5 }), '{"a":18446744073709551616,"b":[-1],"c":1.5}');
});

const CHANGED: Readonly<Record<string, string>> = {
  '{"s3cret":["a s3cret b"]}': '{"***":["a *** b"]}',
  '{"a":"\\u0073\\u0033cret"}': '{"a":"***"}',
  '{"a":{"b":[1.0,9223372036854775807,1e400,-0,null,true]}}':
    '{"a":{"b":[1.0,9223372036854775807,1e400,-0,null,true]}}',
  '{"__proto__":{"a":"s3cret"}}': '{"__proto__":{"a":"***"}}',
  ' [ ] ': '[]',
};

for (const [text, expected] of Object.entries(CHANGED)) {
  test(`strings and names are changed in ${text}, and nothing else`, () => {
    assert.equal(
      changeStrings(text, string => string.replaceAll('s3cret', '***')),
      expected,
    );
  });
}
