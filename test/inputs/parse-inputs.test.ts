import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawInputs } from '../../src/inputs/parsers.ts';
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
  for (const [template, id] of Object.entries({ '': '', base: 'i1' })) {
    const [problem, ...others] = problemsOf({ template, 'sandbox-id': id }, 'sandbox');
    const words = `is "${id}", and template is "${template}". Set template to create`;
    assert.ok(problem?.message.startsWith(words), problem?.message);
    assert.deepEqual([problem?.input, others], ['sandbox-id', []]);
  }
});

const API = { 'api-url': 'https://api.example.com', 'api-key': 'k-7d01a2' };
const TEMPLATE = { template: 'base', 'sandbox-id': '' };
const EXISTING = { template: '', 'sandbox-id': 'i1' };
const NO_API = { 'api-url': '', 'api-key': '' };
const TAKEN = { ...EXISTING, ...NO_API, token: 'tok-3f9c1d', 'base-url': 'https://x.io' };
const AT_CREATION = { metadata: 'a=b', env: 'A=b', 'create-options': '{"a": 1}' };
const UNUSED = ['metadata', 'env', 'create-options'];
const created = ': has no effect, since template creates a sandbox. Leave out one of them.';
const exists =
  ': has no effect, since sandbox-id is that of a sandbox that exists. Leave out one of them.';
const taken = ': has no effect, since token takes a sandbox over as it is. Leave out one of them.';
const empty = ': is empty or null.';
const notSet = ': is not set, or its expression is empty.';
const ownUrl = { 'base-url': 'https://{sandbox-id}.x.io' };

/** Maps what is given to the inputs of `sandbox`, and the beginnings of the messages. */
const WAYS: Readonly<Record<string, readonly [RawInputs, readonly string[]]>> = {
  'a sandbox is created, with its own address': [{ ...TEMPLATE, ...AT_CREATION, ...ownUrl }, []],
  'a sandbox is created without an API': [
    { ...TEMPLATE, ...NO_API },
    [`api-url${empty}`, `api-key${empty}`],
  ],
  'a sandbox is created, and a token is given': [
    { ...TEMPLATE, token: 'tok-3f9c1d' },
    [`token${created}`],
  ],
  'a sandbox is connected to': [{ ...EXISTING, 'base-url': 'https://x.io' }, []],
  'a sandbox is connected to without a key': [{ ...EXISTING, 'api-key': '' }, [`api-key${empty}`]],
  'what only a creation has is given for a sandbox that exists': [
    { ...EXISTING, ...AT_CREATION },
    UNUSED.map(input => input + exists),
  ],
  'a sandbox is taken over': [TAKEN, []],
  'a sandbox is taken over without a token, as in a fork': [
    { ...TAKEN, token: '' },
    [`token${empty}`],
  ],
  'a sandbox is taken over without base-url': [{ ...TAKEN, 'base-url': '' }, [`base-url${notSet}`]],
  'a sandbox is taken over without an ID': [{ ...TAKEN, 'sandbox-id': '' }, [`sandbox-id${empty}`]],
  'a sandbox is taken over, with an API and all that it could do': [
    { ...TAKEN, ...API, ...AT_CREATION, delete: 'true' },
    ['api-url', 'api-key', 'delete', ...UNUSED].map(input => input + taken),
  ],
};
for (const [name, [inputs, expected]] of Object.entries(WAYS))
  test(`the action sandbox names what is missing or to be left out [${name}]`, () => {
    const texts = problemsOf(inputs, 'sandbox').map(({ input, message }) => `${input}: ${message}`);
    assert.equal(texts.length, expected.length, texts.join('\n'));
    for (const [index, text] of texts.entries())
      assert.ok(text.startsWith(expected[index] ?? 'none'), text);
  });

test('a dry run needs no sandbox-id, token and base-url, but rejects wrong ones', () => {
  const none = { 'sandbox-id': '', token: '', 'base-url': '' };
  assert.deepEqual(invalidInputs({ ...none, 'dry-run': 'true' }), []);
  assert.deepEqual(invalidInputs({ ...none, 'dry-run': 'false' }), Object.keys(none));
  const wrong = { 'sandbox-id': 'a b', token: 'null', 'base-url': 'x' };
  assert.deepEqual(invalidInputs({ ...wrong, 'dry-run': 'true' }), Object.keys(none));
});

test('username of run cannot be combined with a header Authorization', () => {
  for (const name of ['authorization', 'Authorization']) {
    const headers = `X-Trace: 1\n${name}: Basic dXNlcjo=`;
    const [problem, ...others] = problemsOf({ username: 'ci', headers }, 'run');
    const expected = '"ci" would replace the header Authorization. Remove one of them.';
    assert.equal(problem?.message, expected);
    assert.deepEqual([problem?.input, others], ['username', []]);
    // For uploads, the agent reads the user from the URL, so a header does not conflict.
    accepts('username', { ci: 'ci' }, { others: { headers } });
  }
});

test('problems of single values and of their combinations are reported together', () => {
  const inputs = { port: 'x', 'base-url': 'http://example.com' };
  assert.deepEqual(invalidInputs(inputs), ['port', 'base-url']);
});

test('a rule is skipped if one of its inputs is invalid', () => {
  const inputs = { 'base-url': 'http://example.com', 'allow-insecure-http': 'perhaps' };
  assert.deepEqual(invalidInputs(inputs), ['allow-insecure-http']);
});
