import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, type FailureKind, networkError } from '../../src/agent/failure.ts';
import { redactor } from '../../src/text/escape.ts';
import { sendOnce } from '../support/open-client.ts';
import { answering, rawServer } from '../support/raw-server.ts';
import { createCertificate, hasOpenssl } from '../support/tls-certificate.ts';

const redact = redactor(['s3cretpass']);

function wrapped(error: unknown): unknown {
  return networkError(error, 'GET http://host/path', redact);
}

function systemError(code: string, message = `connect ${code} 10.0.0.1:443`): Error {
  return Object.assign(new Error(message), { code });
}

const KINDS: Readonly<Record<string, FailureKind>> = {
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  UND_ERR_SOCKS5_AUTH_REJECTED: 'unreachable',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'untrusted',
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'unreachable',
  ECONNRESET: 'connection',
  ETIMEDOUT: 'connection',
  UND_ERR_SOCKET: 'connection',
};
for (const [code, kind] of Object.entries(KINDS)) {
  test(`a network error has a kind, counts as unsent without a connection, and is retried unless a certificate is wrong [${code}]`, () => {
    const error = wrapped(systemError(code));
    assert.ok(error instanceof AgentError);
    const message = `GET http://host/path failed: connect ${code} 10.0.0.1:443.`;
    const isRetryable = kind !== 'untrusted';
    assert.deepEqual([error.kind, error.message, error.isRetryable], [kind, message, isRetryable]);
    assert.equal(error.hadNoEffect, kind !== 'connection');
  });
}

test('a request whose connection lost its route does not count as unsent', () => {
  for (const [call, code] of Object.entries({ read: 'EHOSTUNREACH', write: 'ENETUNREACH' })) {
    const error = wrapped(systemError(code, `${call} ${code}`));
    assert.ok(error instanceof AgentError && !error.hadNoEffect, code);
  }
});

test('a network error is classified by its cause, and names each address that was tried', () => {
  const tried = new AggregateError([systemError('ECONNREFUSED'), systemError('EHOSTUNREACH')]);
  const error = wrapped(Object.assign(tried, { code: 'ECONNREFUSED' }));
  assert.match(String(error), /failed: connect ECONNREFUSED .*; connect EHOSTUNREACH/);
  const withCause = wrapped(new Error('no connection', { cause: systemError('ENOTFOUND') }));
  assert.match(String(withCause), /failed: no connection \(ENOTFOUND\)\.$/);
});

test('a network error is redacted before it is cut', () => {
  const error = wrapped(systemError('EPIPE', `${'x'.repeat(295)}s3cretpass`));
  assert.match(String(error), /x{295}\*\*\* \(EPIPE\)\.$/);
});

test('networkError returns bugs and AgentErrors unchanged', () => {
  const bugs = [new Error('no code'), new TypeError('a bug'), 'text'];
  for (const error of [...bugs, new AgentError('busy', 'It is busy.')])
    assert.equal(wrapped(error), error);
});

test('an untrusted certificate is reported with a hint about NODE_EXTRA_CA_CERTS', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  using keys = createCertificate();
  await using server = await rawServer(answering(''), keys);
  await assert.rejects(sendOnce(`https://${server.host}`), {
    kind: 'untrusted',
    hint: /NODE_EXTRA_CA_CERTS/,
    message: /self-signed certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.$/,
  });
});

test('https to an http port is reported as such, without the words of OpenSSL', async () => {
  await using server = await rawServer(socket => void socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
  await assert.rejects(sendOnce(`https://${server.host}`), {
    kind: 'unreachable',
    message: `GET https://${server.host}/path failed: the port speaks http, not https (ERR_SSL_WRONG_VERSION_NUMBER).`,
    hint: /^Check the port in base-url/,
  });
});
