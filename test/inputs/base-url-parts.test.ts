import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RawInputs } from '../../src/inputs/parse.ts';
import { quote } from '../../src/text/visible.ts';
import { parsed, problemOf, problemsOf } from './given.ts';

function baseUrlOf(given: RawInputs): string {
  return parsed(given).connection.baseUrl;
}

describe('the sandbox id in the place of its placeholder', () => {
  const inHost = 'https://{port}-{sandbox-id}.example.com';
  const inPath = 'https://example.com/{sandbox-id}/files';
  for (const id of ['abc', 'a--b', 'a_b', 'A-1', 'x'.repeat(57)]) {
    test(`${id} fits a host`, () => {
      const url = baseUrlOf({ 'base-url': inHost, 'sandbox-id': id });
      assert.equal(url, `https://49983-${id.toLowerCase()}.example.com`);
    });
  }
  for (const id of ['a.b', 'a/b', 'a b', '..', 'ä', 'a@b', 'a:1', 'x'.repeat(64)]) {
    test(`${id} does not fit a host`, () => {
      const { message } = problemOf({ 'base-url': inHost, 'sandbox-id': id });
      assert.ok(message.includes(JSON.stringify(id)), message);
    });
  }
  for (const [id, encoded] of Object.entries({
    'a/b': 'a%2Fb',
    'a b?': 'a%20b%3F',
    'a.b': 'a.b',
    'é%2e': '%C3%A9%252e',
  })) {
    test(`${id} is encoded in a path`, () => {
      const url = baseUrlOf({ 'base-url': inPath, 'sandbox-id': id });
      assert.equal(url, `https://example.com/${encoded}/files`);
    });
  }
  for (const id of ['.', '..']) {
    test(`${id} would climb in a path`, () => {
      assert.match(problemOf({ 'base-url': inPath, 'sandbox-id': id }).message, /cannot take sandbox-id/);
      assert.deepEqual(problemsOf({ 'sandbox-id': id }), []);
    });
  }

  test('a missing id is reported once, as what it is', () => {
    assert.equal(problemOf({ 'base-url': inHost, 'sandbox-id': '' }).input, 'sandbox-id');
  });

  test('the port is the one given', () => {
    const url = baseUrlOf({ 'base-url': inHost, port: '8080' });
    assert.equal(url, 'https://8080-i1a2b3c4d5.example.com');
  });
});

describe('upload-path and stats-path', () => {
  for (const path of ['/files', '/', '/a/b/', '/v1/a%20b', '/a:b@c']) {
    test(`${path} is accepted`, () => {
      const { connection } = parsed({ 'upload-path': path, 'stats-path': path });
      assert.equal(connection.uploadPath, path);
      assert.equal(connection.statsPath, path);
    });
  }
  for (const path of [
    'files',
    '//evil.example/x',
    '/\\evil',
    '/a/../b',
    '/./a',
    '/a b',
    '/a?b',
    '/a#b',
    '/ä',
    '/%2e%2e/x',
    'https://x/y',
  ]) {
    test(`${path} is refused`, () => {
      const { input, message, example } = problemOf({ 'stats-path': path });
      assert.equal(input, 'stats-path');
      assert.equal(message, `${quote(path)} is not a plain URL path that begins with a slash.`);
      assert.equal(example, 'stats-path: /metrics');
    });
  }
});
