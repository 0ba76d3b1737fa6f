import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redactor } from '../../src/text/redact.ts';

const SECRET = 'tök+n/"?&=~>>';
const bytes = Buffer.from(SECRET);

const FORMS: Readonly<Record<string, string>> = {
  'as it is': SECRET,
  'in JSON': JSON.stringify(SECRET).slice(1, -1),
  'percent-encoded': encodeURIComponent(SECRET),
  'in base64': bytes.toString('base64').replace(/=+$/, ''),
  'in base64 for URLs': bytes.toString('base64url'),
};

describe('redact', () => {
  for (const [name, form] of Object.entries(FORMS))
    test(`takes out a secret ${name}, however often it stands`, () => {
      assert.equal(redactor([SECRET])(`a${form}b ${form}`), 'a***b ***');
    });

  test('leaves no remainder of a longer secret', () => {
    assert.equal(redactor(['ab', 'abc'])('abc ab'), '*** ***');
  });

  test('takes secrets as text, not as patterns', () => {
    assert.equal(redactor(['a.c$&'])('abc a.c$&'), 'abc ***');
  });

  test('leaves other text, and ignores empty secrets', () => {
    assert.equal(redactor(['', SECRET])('tök+n'), 'tök+n');
  });
});
