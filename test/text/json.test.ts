import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digitsOf, fieldsOf, parseFieldsOf, parseWithDigits } from '../../src/text/json.ts';

const same = (text: string) => text;

test('numbers keep the digits that they were sent with', () => {
  const text = '[9223372036854775807,4.0,1e400,-0,0.10,1E+2,{"a":-1.50},"1.0",null,true]';
  assert.equal(JSON.stringify(parseWithDigits(text, same)), text);
  const { a, b } = fieldsOf(parseWithDigits('{"a":9007199254740993,"b":"1"}', same));
  assert.deepEqual([digitsOf(a), digitsOf(b)], ['9007199254740993', undefined]);
});

const CHANGED: Readonly<Record<string, string>> = {
  '{"s3cret":["a s3cret b"]}': '{"***":["a *** b"]}',
  '{"a":"\\u0073\\u0033cret"}': '{"a":"***"}',
  '{"a":{"b":[1.0,1e400,-0,null,true]}}': '{"a":{"b":[1.0,1e400,-0,null,true]}}',
  '{"__proto__":{"a":"s3cret"}}': '{"__proto__":{"a":"***"}}',
  '{"a":4711}': '{"a":"***"}',
  ' [ ] ': '[]',
};

for (const [text, expected] of Object.entries(CHANGED)) {
  test(`strings, names and digits are changed in ${text}, and nothing else`, () => {
    const change = (string: string) => string.replaceAll(/s3cret|4711/g, '***');
    assert.equal(JSON.stringify(parseWithDigits(text, change)), expected);
  });
}

test('a text that is not JSON is a syntax error, and has no fields', () => {
  for (const text of ['', '{', 'NaN', '01', "{'a':1}", '\ufeff{}']) {
    assert.throws(() => parseWithDigits(text, same), SyntaxError);
    assert.deepEqual(parseFieldsOf(text), {});
  }
});
