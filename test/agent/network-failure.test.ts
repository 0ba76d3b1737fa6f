import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { networkFailure } from '../../src/agent/network-failure.ts';

const TRIED = 'POST https://sandbox.example.com/files';

function coded(code: string, message = 'what happened'): Error {
  return Object.assign(new Error(message), { code });
}

const KINDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls',
  EPROTO: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  CERT_NOT_YET_VALID: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  UND_ERR_HEADERS_TIMEOUT: 'stalled',
  UND_ERR_BODY_TIMEOUT: 'stalled',
  UND_ERR_HEADERS_OVERFLOW: 'bad-answer',
  ECONNRESET: 'connection',
  EPIPE: 'connection',
  ETIMEDOUT: 'connection',
  UND_ERR_SOCKET: 'connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection',
  HPE_INVALID_CONSTANT: 'connection',
};

const RETRYABLE = new Set(['unreachable', 'stalled', 'connection']);

describe('the codes of an HTTP client', () => {
  for (const [code, kind] of Object.entries(KINDS)) {
    test(`${code} is ${kind}`, () => {
      const cause = coded(code);
      const error = networkFailure(cause, TRIED);
      assert.equal(error.kind, kind);
      assert.equal(error.cause, cause);
      assert.equal(error.status, undefined);
      assert.equal(error.retryable, RETRYABLE.has(kind));
      assert.ok(error.message.startsWith(`${TRIED} failed: `), error.message);
      assert.ok(error.message.endsWith(` (${code}: what happened).`), error.message);
    });
  }
});

test('a code is found below its causes', () => {
  const error = new TypeError('fetch failed', { cause: new Error('', { cause: coded('ECONNREFUSED') }) });
  assert.equal(networkFailure(error, TRIED).kind, 'unreachable');
});

test('what happened is said in words', () => {
  assert.equal(
    networkFailure(coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'), TRIED).message,
    `${TRIED} failed: the connection was refused (connect ECONNREFUSED 127.0.0.1:1).`,
  );
});

test('of what OpenSSL says, the reason is shown', () => {
  const said =
    '40AD8C21467F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/tlsany_meth.c:77:';
  assert.equal(
    networkFailure(coded('ERR_SSL_WRONG_VERSION_NUMBER', said), TRIED).message,
    `${TRIED} failed: no trusted TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER: wrong version number).`,
  );
});

test('the errors of several addresses are all named', () => {
  const several = new AggregateError([new Error('first'), new Error('second')], '');
  const { message, kind } = networkFailure(Object.assign(several, { code: 'ECONNREFUSED' }), TRIED);
  assert.equal(kind, 'unreachable');
  assert.ok(message.endsWith('(ECONNREFUSED: first; second).'), message);
});

test('an error without a code is a failed connection', () => {
  const error = networkFailure(new Error('other side closed'), TRIED);
  assert.equal(error.kind, 'connection');
  assert.equal(error.message, `${TRIED} failed: the connection failed (other side closed).`);
});

test('an error with neither code nor message has a message without brackets', () => {
  assert.equal(networkFailure(new Error(''), TRIED).message, `${TRIED} failed: the connection failed.`);
});

test('a proxy that refuses is an unreachable host', () => {
  const error = coded('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling');
  assert.equal(networkFailure(error, TRIED).kind, 'unreachable');
});

test('an AgentError that travelled through the client comes back as it is', () => {
  const own = new AgentError('file-changed', 'It became shorter.');
  assert.equal(networkFailure(own, TRIED), own);
  assert.equal(networkFailure(new Error('aborted', { cause: own }), TRIED), own);
});
