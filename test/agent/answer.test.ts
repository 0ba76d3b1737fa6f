import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRetryAfter, statusFailure } from '../../src/agent/answer.ts';
import { redactor } from '../../src/text/redact.ts';
import { failureOf, NOW } from './answers.ts';

type Row = readonly [status: number, kind: string, reason: string, retryable: boolean, final: boolean];

const STATUSES: readonly Row[] = [
  [300, 'redirected', ' Multiple Choices', false, false],
  [302, 'redirected', ' Found', false, false],
  [307, 'redirected', ' Temporary Redirect', false, false],
  [308, 'redirected', ' Permanent Redirect', false, false],
  [400, 'rejected', ' Bad Request', false, false],
  [401, 'unauthorized', ' Unauthorized', false, true],
  [403, 'forbidden', ' Forbidden', false, true],
  [404, 'not-found', ' Not Found', false, false],
  [405, 'rejected', ' Method Not Allowed', false, false],
  [408, 'busy', ' Request Timeout', true, false],
  [409, 'busy', ' Conflict', true, false],
  [413, 'too-large', ' Payload Too Large', false, false],
  [422, 'rejected', ' Unprocessable Entity', false, false],
  [425, 'busy', ' Too Early', true, false],
  [429, 'busy', ' Too Many Requests', true, false],
  [499, 'rejected', '', false, false],
  [500, 'server', ' Internal Server Error', true, false],
  [502, 'server', ' Bad Gateway', true, false],
  [503, 'server', ' Service Unavailable', true, false],
  [504, 'server', ' Gateway Timeout', true, false],
  [507, 'disk-full', ' Insufficient Storage', false, true],
];

describe('each status', () => {
  for (const [status, kind, reason, retryable, final] of STATUSES) {
    test(`${status} is ${kind}`, () => {
      const error = failureOf(status, '{"code":1,"message":"words"}');
      assert.equal(error.kind, kind);
      assert.equal(error.status, status);
      assert.equal(error.retryable, retryable);
      assert.equal(error.final, final);
      assert.match(error.hint, /^[A-Z].*\.$/);
      const tried = 'POST https://sandbox.example.com/files';
      assert.equal(error.message, `${tried} answered ${status}${reason}. The agent said: "words".`);
    });
  }

  test('those that are tried again, and those that end everything, are exactly these', () => {
    const all = Array.from({ length: 300 }, (_, index) => 300 + index);
    const retried = all.filter(status => failureOf(status).retryable);
    const final = all.filter(status => failureOf(status).final);
    assert.deepEqual(retried, [408, 409, 425, 429, 500, 502, 503, 504]);
    assert.deepEqual(final, [401, 403, 507]);
  });

  test('an empty answer has a message too', () => {
    const message = 'POST https://sandbox.example.com/files answered 500 Internal Server Error.';
    assert.equal(failureOf(500).message, message);
  });
});

const NOT_FOUND: Readonly<Record<string, boolean>> = {
  '{"sandboxId":"i1","message":"The sandbox was not found","code":502}': true,
  'sandbox not found: i1': true,
  'Sandbox "i1" was not found.': true,
  '<html><body>The sandbox <b>i1</b> was not found</body></html>': true,
  'The sandbox\ni1 does not exist': true,
  'sandbox i1 not found': true,
  'Sandbox id i1 was not found': true,
  'sandbox default--my_sandbox not found': true,
  "sandbox 'name' could not be found": true,
  '{"error":{"message":"sandbox \\"name\\" is not found"}}': true,
  'sandbox agent: route not found': false,
  'sandbox agent not found': false,
  'sandbox route not found': false,
  'The sandbox i1 has no such route: page not found': false,
  'sandbox: the file /home/user/i1 does not exist': false,
  "sandbox i1 doesn't exist": true,
  'The sandbox is running but port is not open': false,
  '{"message":"page not found"}': false,
  '404 page not found': false,
  '<html>502 Bad Gateway</html>': false,
  '': false,
};

describe('a sandbox that was not found', () => {
  for (const [text, isIt] of Object.entries(NOT_FOUND)) {
    test(`${isIt ? 'is' : 'is not'} what is meant by ${JSON.stringify(text)}`, () => {
      const kinds = [502, 404].map(status => failureOf(status, text).kind);
      const expected = isIt ? ['sandbox-not-found', 'sandbox-not-found'] : ['server', 'not-found'];
      assert.deepEqual(kinds, expected);
    });
  }

  test('ends everything, at once', () => {
    const error = failureOf(502, 'The sandbox was not found');
    assert.equal(error.final, true);
    assert.equal(error.retryable, false);
    assert.match(error.hint, /sandbox-id/);
  });

  test('is not what other statuses say', () => {
    assert.equal(failureOf(500, 'The sandbox was not found').kind, 'server');
    assert.equal(failureOf(400, 'The sandbox was not found').kind, 'rejected');
  });
});

describe('secrets in an answer', () => {
  const tried = 'GET https://sandbox.example.com/metrics';
  const answer = { tried, status: 401, retryAfter: undefined, sentWhole: true };

  test('are taken out', () => {
    const text = JSON.stringify({ message: 'the token s3cr"et is wrong' });
    const { message } = statusFailure({ ...answer, text }, redactor(['s3cr"et']), NOW);
    assert.ok(message.endsWith('The agent said: "the token *** is wrong".'), message);
  });

  test('also where they are longer than what is shown', () => {
    const secret = 'abc'.repeat(200);
    const { message } = statusFailure({ ...answer, text: `x ${secret}` }, redactor([secret]), NOW);
    assert.doesNotMatch(message, /abc/);
  });

  test('also where they lie across the end of what is searched', () => {
    const secret = 'k3y'.repeat(100);
    const text = `${'<p>'.repeat(5400)}${secret}`;
    const { message } = statusFailure({ ...answer, text }, redactor([secret]), NOW);
    assert.doesNotMatch(message, /k3y/);
  });
});

const RETRY_AFTER: readonly (readonly [string | undefined, number | undefined])[] = [
  [undefined, undefined],
  ['', undefined],
  ['0', undefined],
  ['1', 1000],
  [' 30 ', 30_000],
  ['60', 60_000],
  ['61', 60_000],
  ['999999999999999999999999', 60_000],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e1', undefined],
  ['soon', undefined],
  ['Fri, 20 Nov 2026 10:00:05 GMT', 5000],
  ['Fri, 20 Nov 2026 10:01:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 12:00:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 10:00:00 GMT', undefined],
  ['Fri, 20 Nov 2026 09:59:00 GMT', undefined],
  ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 60_000],
];

describe('Retry-After', () => {
  for (const [value, expected] of RETRY_AFTER) {
    test(`${JSON.stringify(value)} is ${expected} ms`, () => {
      assert.equal(parseRetryAfter(value, NOW), expected);
    });
  }

  test('it is in the failure', () => {
    assert.equal(failureOf(429, '', { retryAfter: '7' }).retryAfterMs, 7000);
    assert.equal(failureOf(429).retryAfterMs, undefined);
  });
});
