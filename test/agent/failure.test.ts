import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errors } from 'undici';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { AgentError, type FailureKind, isFatal, networkFailure } from '../../src/agent/failure.ts';
import { redactor } from '../../src/text/redact.ts';
import { answering, rawServer } from '../raw-server.ts';
import { send } from './clients.ts';

const redact = redactor(['s3cretpass']);

function failed(error: unknown): unknown {
  return networkFailure(error, 'GET http://host/path', redact);
}

function systemError(code: string, message = `connect ${code} 10.0.0.1:443`): Error {
  return Object.assign(new Error(message), { code });
}

describe('a network error', () => {
  const KINDS: Readonly<Record<string, FailureKind>> = {
    ECONNREFUSED: 'unreachable',
    ENOTFOUND: 'unreachable',
    EAI_AGAIN: 'unreachable',
    EHOSTUNREACH: 'unreachable',
    UND_ERR_CONNECT_TIMEOUT: 'unreachable',
    UND_ERR_SOCKS5_AUTH_REJECTED: 'unreachable',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'unreachable',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unreachable',
    ERR_TLS_CERT_ALTNAME_INVALID: 'unreachable',
    ERR_SSL_WRONG_VERSION_NUMBER: 'unreachable',
    CERT_HAS_EXPIRED: 'unreachable',
    ECONNRESET: 'connection',
    EPIPE: 'connection',
    ETIMEDOUT: 'connection',
    UND_ERR_SOCKET: 'connection',
    HPE_INVALID_CONSTANT: 'connection',
  };
  for (const [code, kind] of Object.entries(KINDS)) {
    test(`of code ${code} is of kind ${kind}, and its words are quoted`, () => {
      const error = failed(systemError(code));
      assert.ok(error instanceof AgentError);
      const message = `GET http://host/path failed: connect ${code} 10.0.0.1:443.`;
      assert.deepEqual([error.kind, error.message, error.isRetryable], [kind, message, true]);
    });
  }

  test('is understood by its cause, and by the addresses that were tried', () => {
    const tried = new AggregateError([systemError('ECONNREFUSED'), systemError('EHOSTUNREACH')]);
    const error = failed(Object.assign(tried, { code: 'ECONNREFUSED' }));
    assert.match(String(error), /failed: connect ECONNREFUSED .*; connect EHOSTUNREACH/);
    const wrapped = failed(new Error('no connection', { cause: systemError('ENOTFOUND') }));
    assert.match(String(wrapped), /failed: no connection \(ENOTFOUND\)\.$/);
  });

  test('of a parser without a code is a failed connection', () => {
    const error = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError' });
    assert.match(String(failed(error)), /Expected HTTP\/ \(HTTPParserError\)\.$/);
  });

  test('is redacted, then cut', () => {
    const error = failed(systemError('EPIPE', `${'x'.repeat(295)}s3cretpass`));
    assert.match(String(error), /x{295}\*\*\* \(EPIPE\)\.$/);
  });

  test('that is a bug, or known already, stays what it is', () => {
    const others = [
      new Error('no code'),
      new TypeError('a bug'),
      new errors.InvalidArgumentError('invalid method'),
      new AgentError('busy', 'It is busy.'),
      'text',
    ];
    for (const error of others) assert.equal(failed(error), error);
  });
});

test('the kinds that end a transfer are those that no other request can escape', () => {
  const fatal = [
    'unauthorized',
    'forbidden',
    'sandbox-not-found',
    'disk-full',
    'unreachable',
    'cancelled',
  ] as const;
  const others = [
    'busy',
    'server',
    'connection',
    'not-found',
    'rejected',
    'too-large',
    'bad-answer',
    'file-changed',
  ] as const;
  for (const kind of fatal) assert.ok(isFatal({ kind }), kind);
  for (const kind of others) assert.ok(!isFatal({ kind }), kind);
});

describe('a server', () => {
  test('that is not there is unreachable', async () => {
    await assert.rejects(send('http://127.0.0.1:1'), { kind: 'unreachable' });
  });

  test('whose certificate is not trusted is unreachable, and the advice names the variable', {
    skip: !hasOpenssl && 'needs openssl',
  }, async () => {
    using keys = makeKeys();
    await using server = await rawServer(answering(''), keys);
    await assert.rejects(send(`https://${server.host}`), {
      kind: 'unreachable',
      hint: /NODE_EXTRA_CA_CERTS/,
    });
  });

  test('that does not speak TLS is unreachable', async () => {
    await using server = await rawServer(socket => void socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    await assert.rejects(send(`https://${server.host}`), { kind: 'unreachable' });
  });

  test('that speaks TLS where plain HTTP is expected says that base-url needs https', {
    skip: !hasOpenssl && 'needs openssl',
  }, async () => {
    using keys = makeKeys();
    await using server = await rawServer(answering(''), keys);
    await assert.rejects(send(`http://${server.host}`), {
      kind: 'connection',
      hint: /base-url needs https/,
    });
  });
});
