import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote, redactor } from '../../src/text/escape.ts';
import { redactJson } from '../../src/text/json.ts';

const SECRET = 'tök+n/"?&=~<>';

test('a secret is redacted wherever it occurs: verbatim, quoted in JSON and percent-encoded', () => {
  for (const form of [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET)])
    assert.equal(redactor([SECRET])(`a${form}b ${form}`), 'a***b ***');
});

test('a longer secret is redacted whole, although it contains a shorter one', () => {
  assert.equal(redactor(['ab', 'abc'])('abc ab'), '*** ***');
});

test('a long secret is redacted where a message quotes only its start', () => {
  const long = 'x1'.repeat(120);
  assert.equal(redactor([long])(`port: ${quote(long)} is invalid`), 'port: "***…" is invalid');
});

test('a secret is redacted as text, not as a pattern', () => {
  assert.equal(redactor(['a.c$&'])('abc a.c$&'), 'abc ***');
});

test('other text is not redacted, and empty secrets are ignored', () => {
  assert.equal(redactor(['', SECRET])('tök+n'), 'tök+n');
});

const REDACTED_JSON: Readonly<Record<string, readonly [json: string, redacted: string]>> = {
  'a string and a key': ['{"a\\"b\\\\c": ["12345678"]}', '{"***": ["***"]}'],
  'a secret that is escaped': ['"\\u0061\\u0022b\\u005cc \\u003112345678"', '"*** 1***"'],
  'a number is not redacted': [
    '{"a":12345678,"b":[1e12345678]}',
    '{"a":12345678,"b":[1e12345678]}',
  ],
  'JSON that is nested deeply': [nested('"12345678"'), nested('"***"')],
  'text that is not JSON': ['12345678 "12345678', ''],
};

for (const [name, [json, redacted]] of Object.entries(REDACTED_JSON))
  test(`redactJson redacts strings and keys, and nothing else [${name}]`, () => {
    const redact = redactor(['12345678', 'a"b\\c']);
    assert.equal(redactJson(json, redact), redacted);
  });

function nested(json: string): string {
  return `${'['.repeat(60_000)}${json}${']'.repeat(60_000)}`;
}
