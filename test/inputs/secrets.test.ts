import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretHeader, secretsIn } from '../../src/inputs/connection.ts';

test('tokens, signatures, API keys and secret headers are masked, but no values of env', () => {
  const headers = 'no header\r\n Authorization: Basic dXNlcjpwYXNz\r\nX-Cache-Key: production';
  const env = 'A=a long value';
  const raw = { 'api-key': ' key ', token: 'tok', signature: 'signed', headers, env };
  const credentials = ['Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'];
  assert.deepEqual(secretsIn(raw), ['tok', 'signed', 'key', ...credentials]);
});

test('empty secrets, "null" and "undefined" are not masked', () => {
  assert.deepEqual(secretsIn({ token: 'null', signature: ' undefined ', 'api-key': '' }), []);
});

test('a secret header is masked from eight characters on', () => {
  const secrets = secretsIn({ headers: 'Cookie: 1234567\nX-Token: 12345678' });
  assert.deepEqual(new Set(secrets), new Set(['12345678']));
});

test('a header is secret if its name says so', () => {
  const isSecret = {
    Authorization: true,
    COOKIE: true,
    'X-Access-Token': true,
    'Client-Secret': true,
    DB_PASSWORD: true,
    'X-Api-Key': true,
    OPENAI_API_KEY: true,
    apikey: true,
    'X-Cache-Key': false,
    'X-Token-Kind': false,
    'Set-Cookie-Name': false,
    'X-Plain': false,
  };
  const found = Object.keys(isSecret).map(name => [name, isSecretHeader(name)]);
  assert.deepEqual(Object.fromEntries(found), isSecret);
});
