import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filesPerRequestOf } from '../../src/inputs/cross-input-rules.ts';
import { accepts, each, invalidInputs, parsed, problemsOf, rejects } from './parse-inputs.ts';

describe('allow-insecure-http', () => {
  const urls = ['http://example.com', 'http://10.0.0.1:3000'];
  const words = '% would send secrets unencrypted. Use https, or set allow-insecure-http: true.';
  rejects('base-url', each(urls, words));
  const others = { 'allow-insecure-http': ' true ' };
  accepts('base-url', Object.fromEntries(urls.map(url => [url, url])), { others });
});

describe('template and sandbox-id', () => {
  const action = 'sandbox';
  for (const [inputs, words] of [
    [{ template: '', 'sandbox-id': '' }, /^is "", and template is ""\. Set template to create/],
    [{ template: 'base', 'sandbox-id': 'i1' }, /^is "i1", and template is "base"\. Set/],
  ] as const)
    test(`template and sandbox-id are rejected unless exactly one is set: ${JSON.stringify(inputs)}`, () => {
      assert.deepEqual(invalidInputs(inputs, action), ['sandbox-id']);
      assert.match(problemsOf(inputs, action)[0]?.message ?? '', words);
    });

  accepts('template', { base: 'base' }, { action });
});

describe('username of run and a header Authorization', () => {
  const headers = 'X-Trace: 1\nauthorization: Basic dXNlcjo=';

  test('username of run cannot be combined with a header Authorization', () => {
    const [problem, ...others] = problemsOf({ username: 'ci', headers }, 'run');
    const expected = '"ci" would replace the header Authorization. Remove one of them.';
    assert.equal(problem?.message, expected);
    assert.deepEqual([problem?.input, others], ['username', []]);
  });

  accepts('username', { '': '' }, { action: 'run', others: { headers } });
  accepts('username', { ci: 'ci' }, { action: 'run', others: { headers: 'X-Trace: 1' } });
  // The agent reads the user of an upload from its URL.
  accepts('username', { ci: 'ci' }, { others: { headers } });
});

describe('files-per-request: auto', () => {
  const resolve = (inputs: Record<string, string>) => filesPerRequestOf(parsed(inputs));

  test('files-per-request: auto is 250 for E2B, in upper or lower case', () => {
    for (const prefix of ['E2b', 'e2B', ' E2B '])
      assert.equal(resolve({ 'header-prefix': prefix, 'files-per-request': 'auto' }), 250);
  });

  test('files-per-request: auto is 1 for other services', () => {
    for (const prefix of ['', 'E2b2']) assert.equal(resolve({ 'header-prefix': prefix }), 1);
  });

  test('files-per-request is 1 with a signature', () => {
    for (const count of ['auto', '7'])
      assert.equal(
        resolve({ 'header-prefix': 'E2b', signature: 'abc', 'files-per-request': count }),
        1,
      );
  });

  test('files-per-request: a number is taken as it is', () => {
    assert.equal(resolve({ 'files-per-request': '7' }), 7);
  });
});

test('problems of single values and of their combinations are reported together', () => {
  const inputs = { port: 'x', 'base-url': 'http://example.com' };
  assert.deepEqual(invalidInputs(inputs), ['port', 'base-url']);
});

test('a rule is skipped if one of its inputs is invalid', () => {
  const inputs = { 'base-url': 'http://example.com', 'allow-insecure-http': 'perhaps' };
  assert.deepEqual(invalidInputs(inputs), ['allow-insecure-http']);
});
