import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote, redactor } from '../../src/text/escape.ts';
import { parseRedacted } from '../../src/text/json.ts';

const SECRET = 'tök+n/"?&=~<>';
const LONG = 'x1'.repeat(120);

type Redacted = readonly [secrets: readonly string[], text: string, redacted: string];
const REDACTED: Readonly<Record<string, Redacted>> = {
  'as it is, wherever it occurs': [[SECRET], `a${SECRET}b ${SECRET}`, 'a***b ***'],
  'quoted in JSON': [[SECRET], JSON.stringify(SECRET), '"***"'],
  'percent-encoded': [[SECRET], encodeURIComponent(SECRET), '***'],
  'whole, although a shorter secret is in it': [['ab', 'abc'], 'abc ab', '*** ***'],
  'by its start, which a message quotes': [[LONG], `port: ${quote(LONG)}`, 'port: "***…"'],
  'as text, not as a pattern': [['a.c$&'], 'abc a.c$&', 'abc ***'],
  'not if it is empty or only a part of it': [['', SECRET], 'tök+n', 'tök+n'],
};

for (const [how, [secrets, text, redacted]] of Object.entries(REDACTED))
  test(`a secret is redacted [${how}]`, () => assert.equal(redactor(secrets)(text), redacted));

const REDACTED_JSON: Readonly<Record<string, readonly [json: string, redacted: unknown]>> = {
  'a string and a key': ['{"a\\"b\\\\c": ["12345678"]}', { '***': ['***'] }],
  'a secret that is escaped': ['"\\u0061\\u0022b\\u005cc \\u003112345678"', '*** 1***'],
  'no number': ['{"a":12345678,"b":[12345678]}', { a: 12_345_678, b: [12_345_678] }],
  'a key of a prototype': ['{"__proto__":"12345678"}', { ['__proto__']: '***' }],
  'not JSON that is nested too deeply': [`${'['.repeat(60_000)}${']'.repeat(60_000)}`, undefined],
  'not a text that is not JSON': ['12345678 "12345678', undefined],
};

for (const [what, [json, redacted]] of Object.entries(REDACTED_JSON))
  test(`parseRedacted redacts strings and keys, and nothing else [${what}]`, () => {
    const redact = redactor(['12345678', 'a"b\\c']);
    assert.deepEqual(parseRedacted(json, redact), redacted);
  });
