import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accepts,
  invalidInputs,
  problemsOf,
  rejects,
  sameMessage,
} from '../support/parse-inputs.ts';

test('base-url may be http on another machine only with allow-insecure-http', () => {
  const urls = ['http://example.com', 'http://10.0.0.1:3000'];
  const words = '% would send secrets unencrypted. Use https, or set allow-insecure-http: true.';
  rejects('base-url', sameMessage(urls, words));
  const others = { 'allow-insecure-http': ' true ' };
  accepts('base-url', Object.fromEntries(urls.map(url => [url, url])), { others });
});

test('exactly one of template and sandbox-id must be set', () => {
  for (const [template, id] of [
    ['', ''],
    ['base', 'i1'],
  ] as const) {
    const [problem, ...others] = problemsOf({ template, 'sandbox-id': id }, 'sandbox');
    const words = `is "${id}", and template is "${template}". Set template to create`;
    assert.ok(problem?.message.startsWith(words), problem?.message);
    assert.deepEqual([problem?.input, others], ['sandbox-id', []]);
  }
  accepts('template', { base: 'base' }, { action: 'sandbox' });
});

test('username of run cannot be combined with a header Authorization', () => {
  const headers = 'X-Trace: 1\nauthorization: Basic dXNlcjo=';
  const [problem, ...others] = problemsOf({ username: 'ci', headers }, 'run');
  const expected = '"ci" would replace the header Authorization. Remove one of them.';
  assert.equal(problem?.message, expected);
  assert.deepEqual([problem?.input, others], ['username', []]);
  accepts('username', { '': '' }, { action: 'run', others: { headers } });
  accepts('username', { ci: 'ci' }, { action: 'run', others: { headers: 'X-Trace: 1' } });
  // For uploads, the agent reads the user from the URL, so a header does not conflict.
  accepts('username', { ci: 'ci' }, { others: { headers } });
});

test('problems of single values and of their combinations are reported together', () => {
  const inputs = { port: 'x', 'base-url': 'http://example.com' };
  assert.deepEqual(invalidInputs(inputs), ['port', 'base-url']);
});

test('a rule is skipped if one of its inputs is invalid', () => {
  const inputs = { 'base-url': 'http://example.com', 'allow-insecure-http': 'perhaps' };
  assert.deepEqual(invalidInputs(inputs), ['allow-insecure-http']);
});
