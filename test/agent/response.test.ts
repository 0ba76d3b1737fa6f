import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureKind } from '../../src/agent/failure.ts';
import { type AgentResponse, bodyError, parseResponse, statusError } from '../../src/agent/http.ts';
import { redactor } from '../../src/text/escape.ts';

const LONG = 'x'.repeat(295);
const NOW = Date.parse('2026-01-01T00:00:00Z');
const redact = redactor(['s3cretpass', 'S3cretPass', 'a&b"c']);

function response(status: number, body = '', headers = {}): AgentResponse {
  return { label: 'POST https://host/files', status, headers, body };
}

function failure(status: number, text = '', headers = {}) {
  return statusError(response(status, text, headers), redact, NOW);
}

const KINDS: Partial<Record<FailureKind, readonly number[]>> = {
  unauthorized: [401],
  forbidden: [403],
  'sandbox-not-found': [410],
  'not-found': [301, 302, 307, 404, 405],
  rejected: [400, 402, 406, 411, 414, 415, 422, 431, 501, 505],
  'too-large': [413],
  busy: [408, 409, 425, 429, 503],
  server: [500, 502, 504, 520, 599],
  'disk-full': [507],
  'bad-response': [202, 204, 206],
};
for (const [kind, statuses] of Object.entries(KINDS))
  test(`a failure is of the kind of its status [${kind}]`, () => {
    for (const status of statuses) assert.equal(failure(status, 'some words').kind, kind);
  });

type PhraseCase = readonly [status: number, text: string, kind: FailureKind, hint?: RegExp];

const USERNAME = /username: user/;

const PHRASE_CASES: readonly PhraseCase[] = [
  [502, 'sandbox not found: i1a2b3c4d5', 'sandbox-not-found'],
  [404, '{"message":"sandbox \\"my-box\\" not found"}', 'sandbox-not-found'],
  [404, "Sandbox i1a2b3 doesn't exist", 'sandbox-not-found'],
  [404, 'The sandbox id i-1 could not be found.', 'sandbox-not-found'],
  [404, 'sandbox route not found', 'not-found'],
  [502, 'The sandbox is running but port is not open', 'server'],
  [500, 'sandbox not found', 'server'],
  [400, '{"error":"Query argument username is required"}', 'unauthorized', USERNAME],
  [400, 'username not provided', 'unauthorized', USERNAME],
  [401, '{"message":"error looking up user \'bob\': unknown user bob"}', 'unauthorized', USERNAME],
  [401, 'invalid user', 'unauthorized', USERNAME],
  [400, 'The routing header e2b-sandbox-id is missing', 'rejected', /^Set header-prefix to /],
  [400, '{"code":400,"message":"path is a directory: /home/user/app"}', 'rejected'],
  [500, '{"message":"error ensuring directories: path is a file: /app"}', 'rejected'],
  [500, 'open /home/user/app/a: not a directory', 'rejected'],
  [500, 'error opening file: open /tmp/a: permission denied', 'rejected', /not directly to \/tmp/],
  [500, "seeker can't seek", 'rejected'],
  [404, `{"message":"path '/x/sandbox 1' does not exist"}`, 'no-such-file'],
  [404, `no route, so path '/files' does not exist`, 'not-found'],
  [500, `{"message":"path '/a' does not exist"}`, 'server'],
  [400, `{"message":"path '/a' is a directory"}`, 'rejected'],
];

for (const [status, text, kind, hint = /./] of PHRASE_CASES)
  test(`the words of a response can decide its kind and hint [${text}]`, () => {
    const error = failure(status, text);
    assert.equal(error.kind, kind);
    assert.match(error.hint, hint);
    if (kind === 'rejected') assert.equal(error.isRetryable, false);
  });

const QUOTED: Readonly<Record<string, readonly [text: string, words: string]>> = {
  'the message of a JSON object': ['{"code":400,"message":"It is\\n broken."}', 'It is broken.'],
  'the error of a JSON object': ['{"error":"broken"}', 'broken'],
  'a JSON string': ['"broken"', 'broken'],
  'other JSON as it is': ['{"why":[1]}', '{\\"why\\":[1]}'],
  'plain text on one line': ['  not  JSON\r\n', 'not JSON'],
  'the title of an HTML page': ['<!doctype html><title>Too\nlarge</title>', 'Too large'],
  'a response without its secrets': ['{"message":"no s3cret\\u0070ass here"}', 'no *** here'],
  'a long response, redacted before it is cut': [`${LONG}s3cretpass`, `${LONG}***`],
  'at most 300 characters': ['y'.repeat(400), `${'y'.repeat(300)}…`],
  'nothing of blanks': [' ', ''],
  'nothing of HTML without a title': ['<html><body>nothing</body></html>', ''],
  'nothing of a title with entities': ['<title>escaped a&amp;b&quot;c</title>', ''],
  'nothing of a title with markup': ['<title>not escaped s3cret<pass</title>', ''],
};
for (const [name, [text, words]] of Object.entries(QUOTED))
  test(`an error message quotes the response on one line, redacted [${name}]`, () => {
    const quoted = words && ` It said: "${words}".`;
    const message = `POST https://host/files answered 400 Bad Request.${quoted}`;
    assert.equal(failure(400, text).message, message);
  });

const REDIRECTS = [
  [undefined, ''],
  ['/login?token=x', ''],
  ['https://user:pass@other:8443/a?token=x', ' It leads to https://other:8443.'],
  // URL.parse() lower-cases hosts, so the URL must be redacted before it is parsed.
  ['https://S3cretPass.example', ' It leads to https://***.example.'],
] as const;
for (const [location, leadsTo] of REDIRECTS)
  test(`a redirect is reported with no more than its origin, redacted [${location}]`, () => {
    const { message, hint } = failure(302, 'Found. See https://other?token=x', { location });
    const start = 'POST https://host/files answered 302 Found.';
    assert.equal(message, `${start}${leadsTo} Redirects are not followed.`);
    assert.match(hint, /^Change base-url/);
  });

const MS: readonly (readonly [value: string | undefined, ms?: number])[] = [
  [undefined],
  ['0'],
  ['7', 7000],
  [' 7 ', 7000],
  ['3600', 60_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
  ['Thu, 01 Jan 2027 00:00:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:00:00 GMT'],
  ['soon'],
];
test('Retry-After is a number of seconds or a date, and counts up to a minute', () => {
  for (const [value, ms] of MS)
    assert.equal(failure(429, '', { 'retry-after': value }).retryAfterMs, ms, value);
});

test('a response that is not JSON is a bad response, and is not quoted', () => {
  assert.deepEqual(parseResponse(response(200, '{"a":1}')), { a: 1 });
  const page = response(200, 's3cretpass');
  const error = bodyError(page, 'it is not JSON');
  assert.throws(() => parseResponse(page), error);
  assert.doesNotMatch(error.message, /s3cretpass/);
});

test('a request answered 200 with HTML counts as without effect and may be repeated, but not one answered 201', () => {
  const hadNoEffect = (status: number, text: string) =>
    bodyError(response(status, text), 'it is odd').hadNoEffect;
  assert.deepEqual([hadNoEffect(200, '<html>'), hadNoEffect(201, '<html>')], [true, false]);
  for (const text of [' \n', '{"code":404}']) assert.equal(hadNoEffect(200, text), false, text);
});

test('a refused request counts as without effect and may be repeated, but not one answered 408 or most 5xx', () => {
  for (const status of [302, 400, 429, 501]) assert.ok(failure(status).hadNoEffect, `${status}`);
  for (const status of [202, 408, 500, 503]) assert.ok(!failure(status).hadNoEffect, `${status}`);
  assert.equal(failure(500, 'permission denied').hadNoEffect, false);
  assert.equal(failure(502, 'sandbox not found').hadNoEffect, true);
  for (const code of ['create_failed', 'capacity_unavailable', 'placement_timeout'])
    assert.ok(failure(500, `{"error_code":"sandbox_${code}"}`).hadNoEffect, code);
});
