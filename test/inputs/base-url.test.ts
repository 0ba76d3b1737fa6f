import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isLoopback } from '../../src/inputs/base-url.ts';
import { each, problemOf, problemsOf, refuses, takes } from './given.ts';

const EXAMPLE = 'https://sandbox.example.com';

describe('base-url', () => {
  takes('base-url', {
    'HTTPS://Sandbox.Example.COM:443/': 'https://sandbox.example.com',
    'https://sandbox.example.com/a/b//': 'https://sandbox.example.com/a/b',
    'https://bücher.example': 'https://xn--bcher-kva.example',
    'https://[2001:db8::1]:8443': 'https://[2001:db8::1]:8443',
    'https://{port}-{sandbox-id}.example.com': 'https://49983-i1a2b3c4d5.example.com',
    'https://example.com:{port}/{sandbox-id}/{sandbox-id}/': 'https://example.com:49983/i1a2b3c4d5/i1a2b3c4d5',
  });

  refuses('base-url', { '': 'is required: the sandbox host.' }, EXAMPLE);
  const wrong: Readonly<Record<string, readonly string[]>> = {
    '% is not a URL.': [
      'example.com',
      'localhost:3000',
      'https://exa mple.com',
      'https://example.com:99999',
      'file:///etc/passwd',
    ],
    '% is neither an https nor an http URL.': ['ftp://example.com', 'file://host/etc/passwd'],
    '% must not have a query or a fragment.': ['?a=1', '/a?', '/#a', '#'].map(tail => `https://example.com${tail}`),
    '% contains a $: variables are not expanded here, except `${{ … }}`.': ['https://$HOST/x', 'https://${HOST}'],
    '% has the unknown placeholder {id}; valid are {sandbox-id} and {port}.': ['https://{id}.example.com'],
    '% has the unknown placeholder {}; valid are {sandbox-id} and {port}.': ['https://example.com/{}/{port}'],
  };
  for (const [message, urls] of Object.entries(wrong)) refuses('base-url', each(urls, message), EXAMPLE);
});

describe('http', () => {
  takes('base-url', { 'http://127.1': 'http://127.0.0.1', 'http://[::1]:80': 'http://[::1]' });

  const here = ['localhost', '127.0.0.1', '127.255.1.2', '[::1]'];
  const names = ['a.localhost', 'localhost.example.com', 'notlocalhost', '127.0.0.1.example.com', 'example.com'];
  const elsewhere = [...names, '10.0.0.1', '128.0.0.1', '0.0.0.0', '[::2]'];

  test('of names only localhost is this machine', () => {
    assert.deepEqual([...here, ...elsewhere].filter(isLoopback), here);
  });

  const urls = elsewhere.map(host => `http://${host}`);
  const message = '% would send the token unencrypted. Use https, or set allow-insecure-http: true.';
  refuses('base-url', each(urls, message), EXAMPLE);
  takes('base-url', Object.fromEntries(urls.map(url => [url, url])), { 'allow-insecure-http': 'true' });
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
  const message = 'must not contain credentials or an @: the token has its own input.';
  refuses('base-url', each(values, message), EXAMPLE, { 'sandbox-id': 'not.a.label' });
});

describe('the sandbox id in the place of its placeholder', () => {
  const inHost = 'https://{port}-{sandbox-id}.example.com';
  const inPath = 'https://example.com/{sandbox-id}/files';
  for (const id of ['abc', 'a--b', 'a_b', 'A-1', 'x'.repeat(57)]) {
    takes('base-url', { [inHost]: `https://49983-${id.toLowerCase()}.example.com` }, { 'sandbox-id': id });
  }
  for (const id of ['a.b', 'a/b', 'a b', '..', 'ä', 'a@b', 'a:1', 'x'.repeat(64)]) {
    const message = `% puts sandbox-id ${JSON.stringify(id)} into the host name, where it does not fit.`;
    refuses('base-url', each([inHost], message), EXAMPLE, { 'sandbox-id': id });
  }
  const encoded = { 'a/b': 'a%2Fb', 'a b?': 'a%20b%3F', 'a.b': 'a.b', 'é%2e': '%C3%A9%252e' };
  for (const [id, part] of Object.entries(encoded)) {
    takes('base-url', { [inPath]: `https://example.com/${part}/files` }, { 'sandbox-id': id });
  }
  for (const id of ['.', '..']) {
    refuses('base-url', each([inPath], `% cannot take sandbox-id "${id}" in its place.`), EXAMPLE, {
      'sandbox-id': id,
    });
    test(`${id} is an id elsewhere`, () => assert.deepEqual(problemsOf({ 'sandbox-id': id }), []));
  }
  takes('base-url', { [inHost]: 'https://8080-i1a2b3c4d5.example.com' }, { port: '8080' });

  test('a missing id is reported once, as what it is', () => {
    assert.equal(problemOf({ 'base-url': inHost, 'sandbox-id': '' }).input, 'sandbox-id');
  });
});

describe('the paths of operations', () => {
  const paths = ['/files', '/', '/a/b/', '/v1/a%20b', '/a:b@c'];
  takes('upload-path', { ...Object.fromEntries(paths.map(path => [path, path])), '': '/files' });
  takes('stats-path', { '': '/metrics' });
  const hosts = ['files', '//evil.example/x', '/\\evil', 'https://x/y'];
  const changed = ['/a/../b', '/./a', '/a b', '/a?b', '/a#b', '/ä', '/%2e%2e/x'];
  const wrong = Object.fromEntries([...hosts, ...changed].map(path => [path, `"${path}" is not a plain URL path`]));
  for (const [path, message] of Object.entries(wrong)) {
    refuses('stats-path', { [path]: `${message} that begins with a slash.` }, '/metrics');
  }
});
