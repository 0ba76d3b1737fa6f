import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { networkFailure } from '../../src/agent/network-failure.ts';
import { redactor } from '../../src/text/redact.ts';

const same = (text: string) => text;
const TRIED = 'POST https://sandbox.example.com/files';

function coded(code: string, message = 'what happened'): Error {
  return Object.assign(new Error(message), { code });
}

const KINDS: Readonly<Record<string, string>> = {
  unreachable: 'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT',
  tls: `ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER EPROTO CERT_HAS_EXPIRED CERT_NOT_YET_VALID
    DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY HOSTNAME_MISMATCH`,
  stalled: 'UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT',
  'bad-answer': 'UND_ERR_HEADERS_OVERFLOW',
  connection: `ECONNRESET EPIPE ETIMEDOUT UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH
    HPE_INVALID_CONSTANT`,
};

const RETRYABLE = new Set(['unreachable', 'stalled', 'connection']);

for (const [kind, codes] of Object.entries(KINDS)) {
  test(`what is ${kind}, by its code`, () => {
    for (const code of codes.split(/\s+/)) {
      const cause = coded(code);
      const error = networkFailure(cause, TRIED, same);
      const { status, retryable } = error;
      assert.deepEqual(
        [error.kind, error.cause, status, retryable],
        [kind, cause, undefined, RETRYABLE.has(kind)],
        code,
      );
      assert.ok(error.message.startsWith(`${TRIED} failed: `), error.message);
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
  'without a code': [new Error('other side closed'), 'connection', 'the connection failed (other side closed).'],
  'with neither code nor message': [new Error(''), 'connection', 'the connection failed.'],
};

describe('what happened is said', () => {
  for (const [name, [error, kind, says]] of Object.entries(MESSAGES)) {
    test(name, () => {
      const failure = networkFailure(error, TRIED, same);
      assert.deepEqual([failure.kind, failure.message], [kind, `${TRIED} failed: ${says}`]);
    });
  }
});

test('a proxy that refuses is an unreachable host, one that asks for credentials is not', () => {
  const error = (status: number) => coded('UND_ERR_ABORTED', `Proxy response (${status}) !== 200 when HTTP Tunneling`);
  assert.equal(networkFailure(error(503), TRIED, same).kind, 'unreachable');
  assert.equal(networkFailure(error(407), TRIED, same).kind, 'proxy-refused');
});

test('the password of a proxy is taken out of what the system says, and that is cut', () => {
  const error = coded('ECONNRESET', `CONNECT by http://user:secret@proxy failed ${'x'.repeat(999)}`);
  const { message } = networkFailure(error, TRIED, redactor(['secret']));
  assert.doesNotMatch(message, /secret|x{301}/);
  assert.match(message, /user:\*\*\*@proxy/);
  const late = coded('ECONNRESET', `${'x'.repeat(296)}secret`);
  assert.doesNotMatch(networkFailure(late, TRIED, redactor(['secret'])).message, /sec/);
});

test('an AgentError that travelled through the client comes back as it is', () => {
  const own = new AgentError('file-changed', 'It became shorter.');
  assert.equal(networkFailure(own, TRIED, same), own);
  assert.equal(networkFailure(new Error('aborted', { cause: own }), TRIED, same), own);
});
