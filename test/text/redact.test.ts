import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redactor } from '../../src/text/redact.ts';

const SECRET = 'tök+n/"?&=~>>';

const FORMS: Readonly<Record<string, string>> = {
  verbatim: SECRET,
  'in JSON': JSON.stringify(SECRET).slice(1, -1),
  'percent-encoded': encodeURIComponent(SECRET),
};

describe('redact', () => {
  for (const [name, form] of Object.entries(FORMS))
    test(`a secret ${name} is redacted wherever it occurs`, () => {
      assert.equal(redactor([SECRET])(`a${form}b ${form}`), 'a***b ***');
    });

  test('a longer secret is redacted whole, although it contains a shorter one', () => {
    assert.equal(redactor(['ab', 'abc'])('abc ab'), '*** ***');
  });

  test('a secret is redacted as text, not as a pattern', () => {
    assert.equal(redactor(['a.c$&'])('abc a.c$&'), 'abc ***');
  });

  test('other text is not redacted, and empty secrets are ignored', () => {
    assert.equal(redactor(['', SECRET])('tök+n'), 'tök+n');
  });
});
