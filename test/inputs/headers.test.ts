import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routingHeaders } from '../../src/inputs/headers.ts';
import { each, problemOf, problemsOf, refuses, takes } from './given.ts';

const NOT_LATIN = 'cannot be sent in a header: it has a line break or another character outside Latin-1.';

const missing = (what: string, output: string, masked = '') =>
  `is ${what}: check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT${masked}; workflows of forks get no secrets.`;

describe('sandbox-id', () => {
  takes('sandbox-id', { abc: 'abc', 'a--b_c': 'a--b_c', ' a.b/c ': 'a.b/c', 'x y': 'x y', é: 'é', '"': '"' });
  const example = '${{ steps.sandbox.outputs.id }}';
  refuses('sandbox-id', { '': missing('empty', 'id'), ' \n': missing('empty', 'id') }, example);
  refuses('sandbox-id', { null: missing('null', 'id'), undefined: missing('undefined', 'id') }, example);
  refuses('sandbox-id', each(['a\nb', 'a\u0001', '日本', 'a\u007f'], `% ${NOT_LATIN}`), example);
});

describe('token', () => {
  const masked = '; GitHub drops masked outputs between jobs';
  const wrong = { ' ': missing('empty', 'token', masked), null: missing('null', 'token', masked) };
  refuses('token', wrong, '${{ steps.sandbox.outputs.token }}');
  refuses('token', { 'first\nsecond': `the value given ${NOT_LATIN}` }, '${{ steps.sandbox.outputs.token }}');
});

describe('header-prefix', () => {
  takes('header-prefix', { '': 'Svc', E2b: 'E2b' });
  const wrong = ['a b', 'a:', 'ä', '"', 'a\nb', '(x)'];
  refuses('header-prefix', each(wrong, "% cannot be part of a header's name."), 'E2b');
  refuses(
    'header-prefix',
    each(['E2b-', 'E2b-Sandbox-Id', 'E2b-sandbox-port'], '% is more than the prefix, which is "E2b".'),
    'E2b',
  );

  test('it begins the names of the routing headers', () => {
    assert.deepEqual(routingHeaders('E2b'), { id: 'E2b-Sandbox-Id', port: 'E2b-Sandbox-Port' });
  });
});

describe('headers', () => {
  takes('headers', {
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
  });
  takes('headers', { 'Svc-Sandbox-Id: a': { 'Svc-Sandbox-Id': 'a' } }, { 'header-prefix': 'E2b' });

  const example = '"X-Metadata-build: 42"';
  const places = ['no colon', ': no name', 'a b: space in the name', 'ä: letter in the name'];
  const values = ['\u0001', 'x\u2028y', '日本', '\u{1f600}', '\u007f', 'x\0y', 'x\ry'].map(value => `A: ${value}`);
  const malformed = [...places, ...values].map(line => `Fine: 1\n${line}`);
  refuses('headers', each(malformed, 'line 2 is not of the form Name: value.'), example);

  const taken = 'X-Access-Token Svc-Sandbox-Id Svc-Sandbox-Port Accept User-Agent Host Content-Type Content-Length';
  const more = 'Transfer-Encoding Connection Expect Upgrade Keep-Alive Proxy-Authorization';
  for (const name of `${taken} ${more}`.split(' ')) {
    for (const spelt of [name, name.toLowerCase(), name.toUpperCase()]) {
      const message = `line 1 sets "${spelt}", which the action sets itself.`;
      refuses('headers', { [`${spelt}: x`]: message }, example);
    }
  }
  const own = { 'e2b-sandbox-port: 1': 'line 1 sets "e2b-sandbox-port", which the action sets itself.' };
  refuses('headers', own, example, { 'header-prefix': 'E2b' });
  refuses('headers', { 'X-Build: 1\n\nx-build: 1': 'line 3 sets "x-build" a second time.' }, example);

  test('a value is not repeated: it can be a secret', () => {
    for (const headers of ['X Key: s3cret', 'Key: s3cret\nKEY: s3cret'])
      assert.doesNotMatch(problemOf({ headers }).message, /s3cret/);
  });
});

test('printable Latin-1 and tabs can be sent in a header, nothing else', () => {
  for (let unit = 0; unit < 0x180; unit += 1) {
    const expected = unit === 9 || (unit >= 0x20 && unit <= 0xff && unit !== 0x7f);
    const problems = problemsOf({ 'sandbox-id': `a${String.fromCharCode(unit)}b` });
    assert.equal(problems.length === 0, expected, `U+${unit.toString(16)}`);
  }
});
