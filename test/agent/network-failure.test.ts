import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, isFatal } from '../../src/agent/failure.ts';
import { networkFailure, type RequestContext } from '../../src/agent/network-failure.ts';
import { redactor } from '../../src/text/redact.ts';

const same = (text: string) => text;
const LABEL = 'POST https://sandbox.example.com/files';
const PROXY = { name: 'HTTPS_PROXY', value: 'http://user:secret@proxy.test:3128' };

/** The failure for an error of undici, by default over TLS and without a proxy. */
function failureOf(error: unknown, more: Partial<RequestContext> = {}): AgentError {
  const url = 'https://sandbox.example.com/files';
  const request = { label: LABEL, url, proxy: undefined, redact: same, ...more };
  const failure = networkFailure(error, request);
  assert.ok(failure instanceof AgentError, String(failure));
  return failure;
}

function coded(code: string, message = 'what happened'): Error {
  return Object.assign(new Error(message), { code });
}

const KINDS: Readonly<Record<string, string>> = {
  unreachable:
    'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT',
  tls: `ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER EPROTO CERT_HAS_EXPIRED CERT_NOT_YET_VALID
    DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY HOSTNAME_MISMATCH`,
  'bad-answer': 'UND_ERR_HEADERS_OVERFLOW',
  connection: `ECONNRESET EPIPE ETIMEDOUT UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH
    HPE_INVALID_CONSTANT`,
};

const RETRYABLE = new Set(['unreachable', 'connection', 'bad-answer']);

for (const [kind, codes] of Object.entries(KINDS)) {
  test(`what is ${kind}, by its code`, () => {
    for (const code of codes.split(/\s+/)) {
      const cause = coded(code);
      const error = failureOf(cause);
      const { status, isRetryable } = error;
      assert.deepEqual(
        [error.kind, error.cause, status, isRetryable],
        [kind, cause, undefined, RETRYABLE.has(kind)],
        code,
      );
      assert.ok(error.message.startsWith(`${LABEL} failed: `), error.message);
      assert.ok(error.message.endsWith(` (${code}: what happened).`), error.message);
    }
  });
}

const SAID =
  '40AD8C21467F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/tlsany_meth.c:77:';
const SEVERAL = new AggregateError([new Error('first'), new Error('second')], '');

const MESSAGES: Readonly<Record<string, readonly [error: Error, kind: string, says: string]>> = {
  'in words': [
    coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
    'unreachable',
    'the connection was refused (connect ECONNREFUSED 127.0.0.1:1).',
  ],
  'of what OpenSSL says, by the reason': [
    coded('ERR_SSL_WRONG_VERSION_NUMBER', SAID),
    'tls',
    'no trusted TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER: wrong version number).',
  ],
  'of several addresses, by all their errors': [
    Object.assign(SEVERAL, { code: 'ECONNREFUSED' }),
    'unreachable',
    'the connection was refused (ECONNREFUSED: first; second).',
  ],
  'by a code below its causes': [
    new TypeError('fetch failed', { cause: new Error('', { cause: coded('ECONNREFUSED') }) }),
    'unreachable',
    'the connection was refused (ECONNREFUSED: fetch failed).',
  ],
};

describe('what happened is said', () => {
  for (const [name, [error, kind, says]] of Object.entries(MESSAGES)) {
    test(name, () => {
      const failure = failureOf(error);
      assert.deepEqual([failure.kind, failure.message], [kind, `${LABEL} failed: ${says}`]);
    });
  }
});

const BEHIND: Readonly<Record<string, readonly [error: Error, kind: string, says: string]>> = {
  'asks for credentials': [
    coded('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling'),
    'proxy-refused',
    'the proxy in HTTPS_PROXY, proxy.test:3128, asks for credentials',
  ],
  'asks for credentials for plain http': [
    coded('UND_ERR_INVALID_ARG', 'Proxy Authentication Required (407)'),
    'proxy-refused',
    'the proxy in HTTPS_PROXY, proxy.test:3128, asks for credentials',
  ],
  'forbids the host': [
    coded('UND_ERR_ABORTED', 'Proxy response (403) !== 200 when HTTP Tunneling'),
    'proxy-forbids',
    'the proxy in HTTPS_PROXY, proxy.test:3128, does not allow sandbox.example.com',
  ],
  'cannot reach the host': [
    coded('UND_ERR_ABORTED', 'Proxy response (502) !== 200 when HTTP Tunneling'),
    'unreachable',
    'the proxy in HTTPS_PROXY, proxy.test:3128, could not connect',
  ],
  'is not there': [
    coded('ECONNREFUSED'),
    'unreachable',
    'the proxy in HTTPS_PROXY, proxy.test:3128, refused the connection',
  ],
  'is not found': [
    coded('ENOTFOUND'),
    'unreachable',
    'the proxy in HTTPS_PROXY, proxy.test:3128, could not be reached',
  ],
  'lets a connection through that breaks': [
    coded('ECONNRESET'),
    'connection',
    'the connection was reset',
  ],
};

describe('a proxy', () => {
  for (const [name, [error, kind, says]] of Object.entries(BEHIND)) {
    test(`that ${name} is named without its password`, () => {
      const failure = failureOf(error, { proxy: PROXY });
      assert.equal(failure.kind, kind);
      assert.ok(failure.message.startsWith(`${LABEL} failed: ${says} (`), failure.message);
      assert.doesNotMatch(failure.message, /secret/);
    });
  }
});

test('an answer that is not HTTP is retried, unless the port may speak TLS', () => {
  const error = coded('HPE_INVALID_CONSTANT');
  assert.equal(failureOf(error).kind, 'connection');
  const failure = failureOf(error, { url: 'http://sandbox.example.com/files' });
  assert.deepEqual([failure.kind, isFatal(failure)], ['not-http', true]);
  assert.match(failure.hint, /needs https/);
});

test('the password of a proxy is redacted before the detail is cut', () => {
  const error = coded(
    'ECONNRESET',
    `CONNECT by http://user:secret@proxy failed ${'x'.repeat(999)}`,
  );
  const redact = redactor(['secret']);
  const { message } = failureOf(error, { redact });
  assert.doesNotMatch(message, /secret|x{301}/);
  assert.match(message, /user:\*\*\*@proxy/);
  const late = coded('ECONNRESET', `${'x'.repeat(296)}secret`);
  assert.doesNotMatch(failureOf(late, { redact }).message, /sec/);
});

test('an AgentError comes back as it is', () => {
  const own = new AgentError('file-changed', 'It shrank.');
  assert.equal(failureOf(own), own);
});

test('bugs come back as they are', () => {
  const url = 'https://sandbox.example.com/files';
  const request = { label: LABEL, url, proxy: undefined, redact: same };
  for (const bug of [new TypeError('a bug'), coded('UND_ERR_INVALID_ARG'), 'text'])
    assert.equal(networkFailure(bug, request), bug);
});
