import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isHeaderValue } from '../../src/inputs/headers.ts';
import type { RawInputs } from '../../src/inputs/parse.ts';
import { parsed, problemOf, TOKEN } from './given.ts';

const OWN = {
  'X-Access-Token': TOKEN,
  'Svc-Sandbox-Id': 'i1a2b3c4d5',
  'Svc-Sandbox-Port': '49983',
};

function headersOf(given: RawInputs): Readonly<Record<string, string>> {
  return parsed(given).connection.headers;
}

const ACCEPTED: Readonly<Record<string, Record<string, string>>> = {
  '': {},
  ' \n\t\n': {},
  'X-Metadata-build: 42': { 'X-Metadata-build': '42' },
  'A: 1\r\n\r\nB: 2\r\n': { A: '1', B: '2' },
  '  A  :  a: b  ': { A: 'a: b' },
  'A:': { A: '' },
  'A: x\ty': { A: 'x\ty' },
  'A: café': { A: 'café' },
  'Authorization: Basic eDp5': { Authorization: 'Basic eDp5' },
  "!#$%&'*+-.^_`|~9z: x": { "!#$%&'*+-.^_`|~9z": 'x' },
  '__proto__: x': { ['__proto__']: 'x' },
};

describe('extra headers accepted', () => {
  for (const [value, expected] of Object.entries(ACCEPTED)) {
    test(JSON.stringify(value), () => {
      const actual = Object.entries(headersOf({ headers: value }));
      assert.deepEqual(actual, [...Object.entries(expected), ...Object.entries(OWN)]);
    });
  }
});

const MALFORMED = [
  'no colon',
  ': no name',
  'a b: space in the name',
  'ä: letter in the name',
  'A: \u0001',
  'A: x\u2028y',
  'A: 日本',
  'A: \u{1f600}',
  'A: \u007f',
  'A: x\0y',
  'A: x\ry',
];

describe('extra headers refused', () => {
  for (const line of MALFORMED) {
    test(`malformed: ${JSON.stringify(line)}`, () => {
      const { input, message, example } = problemOf({ headers: `Fine: 1\n${line}` });
      assert.equal(input, 'headers');
      assert.equal(message, 'line 2 is not of the form Name: value.');
      assert.equal(example, 'headers: "X-Metadata-build: 42"');
    });
  }

  test('the value is not repeated: it can be a secret', () => {
    assert.doesNotMatch(problemOf({ headers: 'X Key: s3cret' }).message, /s3cret/);
    assert.doesNotMatch(problemOf({ headers: 'Key: s3cret\nKEY: s3cret' }).message, /s3cret/);
  });

  const taken = [
    'X-Access-Token',
    'Svc-Sandbox-Id',
    'Svc-Sandbox-Port',
    'Accept',
    'User-Agent',
    'Host',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Expect',
    'Upgrade',
    'Keep-Alive',
    'Proxy-Authorization',
  ];
  for (const name of taken.flatMap(name => [name, name.toLowerCase(), name.toUpperCase()])) {
    test(`the action sets ${name} itself`, () => {
      const { message } = problemOf({ headers: `${name}: x` });
      assert.equal(message, `line 1 sets "${name}", which the action sets itself.`);
    });
  }

  test('a name twice, in whatever case', () => {
    const { message } = problemOf({ headers: 'X-Build: 1\n\nx-build: 1' });
    assert.equal(message, 'line 3 sets "x-build" a second time.');
  });
});

describe('the routing headers', () => {
  test('they carry the prefix given', () => {
    const headers = headersOf({ 'header-prefix': 'E2b', port: '8080' });
    assert.deepEqual(headers, {
      'X-Access-Token': TOKEN,
      'E2b-Sandbox-Id': 'i1a2b3c4d5',
      'E2b-Sandbox-Port': '8080',
    });
  });

  test('those with another prefix than the one given are free', () => {
    const headers = headersOf({ 'header-prefix': 'E2b', headers: 'Svc-Sandbox-Id: other' });
    assert.equal(headers['Svc-Sandbox-Id'], 'other');
    assert.equal(headers['E2b-Sandbox-Id'], 'i1a2b3c4d5');
  });

  test('those with the prefix given are taken', () => {
    const { message } = problemOf({ 'header-prefix': 'E2b', headers: 'e2b-sandbox-port: 1' });
    assert.match(message, /which the action sets itself/);
  });

  for (const prefix of ['a b', 'a:', 'ä', '"', 'a\nb', '(x)']) {
    test(`the prefix ${JSON.stringify(prefix)} is refused`, () => {
      const { input, message, example } = problemOf({ 'header-prefix': prefix });
      assert.equal(input, 'header-prefix');
      assert.equal(message, `${JSON.stringify(prefix)} cannot be part of a header's name.`);
      assert.equal(example, 'header-prefix: E2b');
    });
  }
});

describe('isHeaderValue', () => {
  test('printable Latin-1 and tabs are, everything else is not', () => {
    for (let unit = 0; unit < 0x180; unit += 1) {
      const expected = unit === 9 || (unit >= 0x20 && unit <= 0xff && unit !== 0x7f);
      assert.equal(isHeaderValue(`a${String.fromCharCode(unit)}b`), expected, `U+${unit.toString(16)}`);
    }
  });
});
