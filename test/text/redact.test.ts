import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redactor } from '../../src/text/redact.ts';

const SECRET = 'tök+n/"?&=~>>';
const bytes = Buffer.from(SECRET);

const FORMS: Readonly<Record<string, string>> = {
  'as it is': SECRET,
  'in a URL': encodeURIComponent(SECRET),
  'in JSON': 'tök+n/\\"?&=~>>',
  'in JSON within JSON': 'tök+n/\\\\\\"?&=~>>',
  'in base64': bytes.toString('base64'),
  'in base64 without its padding': bytes.toString('base64').replace(/=+$/, ''),
  'in base64 for URLs': bytes.toString('base64url'),
  'in hexadecimal': bytes.toString('hex'),
  'in hexadecimal in upper case': bytes.toString('hex').toUpperCase(),
  'in a URL in lower case': encodeURIComponent(SECRET).replace(/%../g, code => code.toLowerCase()),
  'in base64 of the bytes of a header': Buffer.from(SECRET, 'latin1').toString('base64'),
  'in hexadecimal of the bytes of a header': Buffer.from(SECRET, 'latin1').toString('hex'),
};

describe('a secret', () => {
  const redact = redactor([SECRET]);
  for (const [name, form] of Object.entries(FORMS)) {
    test(`${name} is taken out, wherever and however often it stands`, () => {
      assert.equal(redact(`a${form}b ${form}`), 'a***b ***');
    });
  }

  test('leaves no remainder of a longer form', () => {
    assert.equal(redactor(['ab', 'abc'])('abc ab'), '*** ***');
  });

  test('is text, not a pattern', () => {
    assert.equal(redactor(['a.c$&'])('abc a.c$&'), 'abc ***');
  });

  test('that is no text is taken out too', () => {
    assert.equal(redactor(['a\ud800b'])('x a\ud800b'), 'x ***');
  });
});

test('other text is unchanged', () => {
  assert.equal(redactor([SECRET])('tök+n'), 'tök+n');
});

test('an empty secret takes out nothing', () => {
  assert.equal(redactor(['', 'x'])('abc'), 'abc');
  assert.equal(redactor([])('abc'), 'abc');
});
