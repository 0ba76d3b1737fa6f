import type { Redact } from '../text/redact.ts';
import { AgentError, type FailureKind } from './failure.ts';

const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;

// OpenSSL's verification codes have no common prefix; Node's own errors do.
const TLS = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

const SAYS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name could not be found',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
  UND_ERR_HEADERS_TIMEOUT: 'no byte was sent or received for longer than timeout',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way for longer than timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was shorter than announced',
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  tls: 'no trusted TLS connection could be made',
  'proxy-refused': 'the proxy refused the connection',
};

// What a proxy says of itself comes along; it is cut like what an agent says.
const MAX_DETAIL = 300;

/** Says what an error of the HTTP client means. An AgentError that travelled through the client comes back as it is. */
export function networkFailure(error: Error, tried: string, redact: Redact): AgentError {
  if (error instanceof AgentError) return error;
  if (error.cause instanceof AgentError) return error.cause;
  const code = codeOf(error);
  const kind = kindOf(code, error.message);
  const says = SAYS[code] ?? SAYS[kind] ?? 'the connection failed';
  // Some versions of Node put the proxy's URL with its password into the message.
  return new AgentError(kind, `${tried} failed: ${says}${detail(code, error, redact)}.`, { cause: error });
}

function kindOf(code: string, message: string): FailureKind {
  // The words of undici and of a proxy's own 407, neither of which has a code of its own.
  if (/^Proxy .*\(407\)/.test(message)) return 'proxy-refused';
  if (UNREACHABLE.test(code) || message.startsWith('Proxy ')) return 'unreachable';
  if (TLS.test(code)) return 'tls';
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return 'stalled';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'bad-answer';
  return 'connection';
}

function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : '';
}

function detail(code: string, error: Error, redact: Redact): string {
  // The errors of several tried addresses come together, with an empty message of their own.
  const whole = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : error.message;
  // Before it is cut, which could leave a part of a secret.
  const message = redact(inWords(whole));
  // Most messages of the system hold their code already.
  const cut = message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message;
  const parts = [message.includes(code) ? '' : code, cut.trim()].filter(part => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(': ')})`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of OpenSSL's own errors, `thread:error:number:library:function:reason:file:line:`, the reason. */
function inWords(message: string): string {
  return /^[\dA-F]+:error:[\dA-F]+:(?:[^:]*:){2}([^:]+):/.exec(message)?.[1] ?? message;
}
