import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { proxyFor } from '../../src/agent/proxy.ts';
import { isLoopback } from '../../src/inputs/loopback.ts';

const ALL = { http_proxy: 'h', HTTP_PROXY: 'H', https_proxy: 's', HTTPS_PROXY: 'S' };

const CASES: readonly (readonly [origin: string, env: NodeJS.ProcessEnv, value: string | undefined])[] = [
  ['http://host', {}, undefined],
  ['http://host', ALL, 'h'],
  ['http://host', { HTTP_PROXY: 'H', HTTPS_PROXY: 'S' }, 'H'],
  ['http://host', { HTTPS_PROXY: 'S' }, undefined],
  ['http://host', { http_proxy: '', HTTP_PROXY: 'H' }, undefined],
  ['https://host', ALL, 's'],
  ['https://host', { HTTPS_PROXY: 'S' }, 'S'],
  ['https://host', { HTTP_PROXY: 'H' }, 'H'],
  ['https://host', { https_proxy: '', HTTP_PROXY: 'H' }, 'H'],
  ['https://127.0.0.1', ALL, 's'],
  ['http://127.0.0.1:80', ALL, undefined],
  ['http://127.9.9.9', ALL, undefined],
  ['http://[::1]:80', ALL, undefined],
  ['http://localhost', ALL, undefined],
  ['http://a.localhost', ALL, 'h'],
  ['http://128.0.0.1', ALL, 'h'],
];

describe('the proxy', () => {
  for (const [origin, env, value] of CASES) {
    test(`for ${origin} with ${JSON.stringify(env)} is ${value}`, () => {
      assert.equal(proxyFor(origin, env)?.value, value);
    });
  }
});

test('of names only localhost is this machine', () => {
  const hosts = ['localhost', 'a.localhost', 'localhost.example.com', 'notlocalhost', '127.0.0.1', '[::1]'];
  assert.deepEqual(hosts.filter(isLoopback), ['localhost', '127.0.0.1', '[::1]']);
});
