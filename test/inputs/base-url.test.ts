import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RawInputs } from '../../src/inputs/parse.ts';
import { parsed, problemOf } from './given.ts';

function baseUrlOf(given: RawInputs): string {
  return parsed(given).connection.baseUrl;
}

const ACCEPTED: Readonly<Record<string, string>> = {
  'https://sandbox.example.com': 'https://sandbox.example.com',
  'https://sandbox.example.com/': 'https://sandbox.example.com',
  'https://sandbox.example.com:8443': 'https://sandbox.example.com:8443',
  'https://sandbox.example.com:443': 'https://sandbox.example.com',
  'HTTPS://Sandbox.Example.COM': 'https://sandbox.example.com',
  'https://sandbox.example.com/prefix': 'https://sandbox.example.com/prefix',
  'https://sandbox.example.com/a/b//': 'https://sandbox.example.com/a/b',
  'https://bücher.example': 'https://xn--bcher-kva.example',
  'https://192.0.2.7': 'https://192.0.2.7',
  'https://[2001:db8::1]:8443': 'https://[2001:db8::1]:8443',
  'https://{port}-{sandbox-id}.example.com': 'https://49983-i1a2b3c4d5.example.com',
  'https://example.com/kruise/{sandbox-id}/{port}/': 'https://example.com/kruise/i1a2b3c4d5/49983',
  'https://example.com:{port}/{sandbox-id}/{sandbox-id}': 'https://example.com:49983/i1a2b3c4d5/i1a2b3c4d5',
};

describe('accepted', () => {
  for (const [value, expected] of Object.entries(ACCEPTED)) {
    test(value, () => assert.equal(baseUrlOf({ 'base-url': value }), expected));
  }
});

describe('http, where nobody can read the token on the way', () => {
  const hosts = ['localhost', '127.0.0.1', '127.255.1.2', '127.1', '[::1]', 'LOCALHOST'];
  for (const host of hosts) {
    test(host, () => assert.match(baseUrlOf({ 'base-url': `http://${host}:3000` }), /^http:.*:3000$/));
  }
});

describe('http, where somebody could', () => {
  const hosts = ['example.com', '10.0.0.1', '128.0.0.1', '0.0.0.0', '[::2]', '127.0.0.1.example.com'];
  for (const host of [...hosts, 'a.localhost', 'localhost.example.com', 'notlocalhost']) {
    const url = `http://${host}`;
    test(`${host} is refused`, () => {
      const { input, message, example } = problemOf({ 'base-url': url });
      assert.equal(input, 'base-url');
      const advice = 'Use https, or set allow-insecure-http: true.';
      assert.equal(message, `"${url}" would send the token in clear. ${advice}`);
      assert.equal(example, 'base-url: https://sandbox.example.com');
    });
    test(`${host} is accepted with allow-insecure-http`, () => {
      assert.equal(baseUrlOf({ 'base-url': url, 'allow-insecure-http': 'true' }), url);
    });
  }

  test('allow-insecure-http: false allows nothing', () => {
    problemOf({ 'base-url': 'http://example.com', 'allow-insecure-http': 'false' });
  });
});

const REFUSED: Readonly<Record<string, RegExp>> = {
  '': /^is required: the sandbox host\.$/,
  'sandbox.example.com': /^"sandbox\.example\.com" is not a URL\.$/,
  'localhost:3000': /^"localhost:3000" is not a URL\.$/,
  'ftp://example.com': /^"ftp:\/\/example\.com" is neither an https nor an http URL\.$/,
  'file:///etc/passwd': /is neither an https nor an http URL\.$/,
  'https://exa mple.com': /^"https:\/\/exa mple\.com" is not a URL\.$/,
  'https://example.com:99999': /is not a URL\.$/,
  'https://example.com?a=1': /^"https:\/\/example\.com\?a=1" must not have a query or a fragment\.$/,
  'https://example.com/a?': /must not have a query or a fragment\.$/,
  'https://example.com/#a': /must not have a query or a fragment\.$/,
  'https://example.com#': /must not have a query or a fragment\.$/,
  'https://{id}.example.com': /has the placeholder \{id\}; known are \{sandbox-id\} and \{port\}\.$/,
  'https://example.com/{}/{port}': /has the placeholder \{\}; known are/,
};

describe('refused', () => {
  for (const [value, expected] of Object.entries(REFUSED)) {
    test(JSON.stringify(value), () => {
      const { input, message, example } = problemOf({ 'base-url': value });
      assert.equal(input, 'base-url');
      assert.match(message, expected);
      assert.equal(example, 'base-url: https://sandbox.example.com');
    });
  }
});

describe('credentials are refused and never repeated', () => {
  const values = [
    'https://user:s3cret@example.com',
    'https://s3cret@example.com',
    'https://user:s3cret@exa mple.com',
    'https://user:s3/cret@example.com',
    'ftp://user:s3cret@example.com',
    'https://user:s3cret@example.com/?a#b',
    'https://user:s3cret@example.com/{unknown}',
    'https://user:s3cret@{sandbox-id}.example.com',
    'user:s3cret@example.com',
    'https://user:12/s3cret@example.com',
    'https://example.com/a@s3cret',
  ];
  for (const value of values) {
    test(value, () => {
      const { message } = problemOf({ 'base-url': value, 'sandbox-id': 'not.a.label' });
      assert.doesNotMatch(message, /s3|cret/);
    });
  }
});
