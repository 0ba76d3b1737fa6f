import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { filesPerRequestOf } from '../../src/inputs/cross-input-rules.ts';
import { accepts, each, parsed, problemsOf, rejects } from './parse-inputs.ts';

describe('allow-insecure-http', () => {
  const urls = ['http://example.com', 'http://a.localhost', 'http://10.0.0.1:3000', 'http://[::2]'];
  const words = '% would send secrets unencrypted. Use https, or set allow-insecure-http: true.';
  rejects('base-url', each(urls, words));
  const others = { 'allow-insecure-http': ' true ' };
  accepts('base-url', Object.fromEntries(urls.map(url => [url, url])), { others });
});

describe("header-prefix with E2B's base-url", () => {
  for (const url of ['https://sandbox.e2b.app', 'https://sandbox.E2B.dev:443/']) {
    const others = { 'base-url': url };
    const words = "must be E2b, since base-url is E2B's.";
    rejects('header-prefix', each(['', 'Svc'], words), { others });
    accepts('header-prefix', { E2b: 'E2b' }, { others });
  }
  const routed = ['https://49983-{sandbox-id}.e2b.app', 'https://x.io/sandbox.e2b.app'];
  for (const url of routed)
    accepts('header-prefix', { '': 'Svc' }, { others: { 'base-url': url } });
});

describe('headers with a header-prefix', () => {
  for (const name of ['svc-sandbox-id', 'SVC-SANDBOX-PORT'])
    rejects('headers', { [`${name}: x`]: `the action itself sets "${name}". Remove the line.` });
  const e2b = { others: { 'header-prefix': 'E2b' } };
  const words = 'the action itself sets "e2b-sandbox-port". Remove the line.';
  rejects('headers', { 'e2b-sandbox-port: 1': words }, e2b);
  accepts('headers', { 'Svc-Sandbox-Id: a': { 'Svc-Sandbox-Id': 'a' } }, e2b);
});

describe('files-per-request with a signature', () => {
  const signed = { others: { 'header-prefix': 'E2b', signature: 'abc' } };
  accepts('files-per-request', { auto: 'auto', '1': 1 }, signed);
  rejects('files-per-request', { '2': '"2" cannot be combined with a signature' }, signed);
});

describe('template and sandbox-id', () => {
  const action = 'sandbox';

  test('template or sandbox-id is required', () => {
    const [problem, ...others] = problemsOf({ template: '', 'sandbox-id': '' }, action);
    assert.match(
      problem?.message ?? '',
      /^is empty, and template is empty\. Set template to create/,
    );
    assert.deepEqual([problem?.input, others], ['sandbox-id', []]);
  });

  test('template cannot be combined with sandbox-id', () => {
    const [problem, ...others] = problemsOf({ 'sandbox-id': 'i1' }, action);
    assert.match(problem?.message ?? '', /^is "i1", and template is "base"\. Set/);
    assert.deepEqual([problem?.input, others], ['sandbox-id', []]);
  });

  accepts('template', { base: 'base' }, { action });
});

describe('files-per-request: auto', () => {
  const resolve = (inputs: Record<string, string>) => filesPerRequestOf(parsed(inputs));

  test('files-per-request: auto is 250 for E2B, in any case', () => {
    for (const prefix of ['E2b', 'e2B', ' E2B '])
      assert.equal(resolve({ 'header-prefix': prefix, 'files-per-request': 'auto' }), 250);
  });

  test('files-per-request: auto is 1 for other services, and with a signature', () => {
    for (const prefix of ['', 'E2b2']) assert.equal(resolve({ 'header-prefix': prefix }), 1);
    assert.equal(resolve({ 'header-prefix': 'E2b', signature: 'abc' }), 1);
  });

  test('files-per-request: a number is taken as it is', () => {
    assert.equal(resolve({ 'files-per-request': '7' }), 7);
  });
});

test('problems of single values and of their combinations are reported together', () => {
  const inputs = {
    port: 'x',
    'base-url': 'http://sandbox.e2b.app',
    headers: 'Svc-Sandbox-Id: a\nB: c\nSvc-Sandbox-Port: d',
    signature: 'abc',
    'files-per-request': '2',
  };
  const expected = 'port base-url header-prefix headers headers files-per-request';
  assert.equal(
    problemsOf(inputs)
      .map(({ input }) => input)
      .join(' '),
    expected,
  );
});

test('a rule is skipped if one of its inputs is invalid', () => {
  const combinations = [
    { 'base-url': 'http://example.com', 'allow-insecure-http': 'perhaps' },
    { headers: 'Svc-Sandbox-Id: a', 'header-prefix': 'a b' },
    { signature: 'abc', 'files-per-request': '0' },
  ];
  const problems = combinations.map(inputs => problemsOf(inputs).map(({ input }) => input));
  assert.deepEqual(problems, [['allow-insecure-http'], ['header-prefix'], ['files-per-request']]);
});
