import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseInputs, secretsIn } from '../../src/inputs/inputs.ts';
import { each, problemsOf, refuses, SERVICE, takes } from './given.ts';

const entry = 'sandbox';

test('what is left empty has its default', () => {
  assert.deepEqual(parseInputs(entry, SERVICE), {
    apiUrl: 'https://api.example.com',
    apiKey: 'k-7d01a2',
    headers: {},
    retries: 4,
    timeout: 60_000,
    template: 'base',
    lifetime: 900_000,
    metadata: {},
    env: {},
    sandboxId: '',
    delete: undefined,
  });
});

describe('api-url', () => {
  takes(
    'api-url',
    { 'https://x.io/v1/': 'https://x.io/v1', 'http://[::1]': 'http://[::1]' },
    { entry },
  );
  refuses('api-url', { '': 'is required: the URL of the service.' }, { entry });
  refuses('api-url', each(['x.io', 'ftp://x.io'], '% is not a URL that begins'), { entry });
  refuses('api-url', { 'http://x.io': 'would send secrets unencrypted.' }, { entry });
  refuses('api-url', { 'https://x.io?a': 'must not have a query' }, { entry });
});

describe('api-key', () => {
  takes('api-key', { e2b_0123: 'e2b_0123' }, { entry });
  refuses('api-key', { 'a\nb': 'has a line break' }, { entry });

  test('is secret, like tokens, and like headers and variables that may be', () => {
    const headers = 'Authorization: Basic dXNlcjpwYXNz\nX-Cache-Key: production';
    const env = 'A=short\nB=a long value';
    const raw = { 'api-key': ' key ', token: 'null', signature: 'signed', headers, env };
    assert.deepEqual(secretsIn(raw), [
      'signed',
      'key',
      'Basic dXNlcjpwYXNz',
      'dXNlcjpwYXNz',
      'a long value',
    ]);
    assert.doesNotMatch(JSON.stringify(problemsOf({ 'api-key': '"s3cret"' }, entry)), /s3cret/);
  });
});

describe('metadata and env', () => {
  for (const input of ['metadata', 'env']) {
    takes(input, { 'A=1\n\n# c\n B=x=y \na=': { A: '1', B: 'x=y', a: '' } }, { entry });
    refuses(input, each(['A', '=1', 'A B=1'], 'line 1: this is not of the form KEY=value.'), {
      entry,
    });
  }

  test('do not repeat values, which may be secret', () => {
    assert.doesNotMatch(JSON.stringify(problemsOf({ env: 'A B=s3cret' }, entry)), /s3cret/);
  });
});

describe('sandbox-id and delete', () => {
  takes('sandbox-id', { i1a2: 'i1a2' }, { entry });
  refuses('sandbox-id', { null: 'is empty or null' }, { entry });
  takes('delete', { true: true, false: false }, { entry });
});
