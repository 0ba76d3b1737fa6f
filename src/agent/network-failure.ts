import type { Redact } from '../text/redact.ts';
import { systemCode } from '../text/system-error.ts';
import { truncate } from '../text/visible.ts';
import { AgentError, type FailureKind } from './failure.ts';
import { type ProxyVariable, proxyAddress } from './proxy.ts';

export interface RequestContext {
  /** Method and URL, no query. */
  readonly label: string;
  readonly url: string;
  readonly proxy: ProxyVariable | undefined;
  readonly redact: Redact;
}

// UND_ERR_HEADERS_TIMEOUT only comes from a proxy's answer to CONNECT.
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT|HEADERS)_TIMEOUT)$/;

// OpenSSL's verification codes have no common prefix; Node's own errors do.
const TLS =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

// What llhttp makes of a TLS alert or another protocol. Bundled, its errors have no code.
const NOT_HTTP = /^(HPE_|HTTPParserError$)/;

// Many servers close a connection to their TLS port that begins in clear, without a word.
const UNRELIABLE =
  'The connection to the sandbox is unreliable. If the port speaks TLS, base-url needs https; else run the job again, or raise retries.';

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name could not be found',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'no connection could be made in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was shorter than announced',
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
};

// A proxy's own words come along; they are cut like those of an agent.
const MAX_DETAIL = 300;

/** Turns an error of undici into an AgentError. Returns bugs and AgentErrors unchanged. */
export function networkFailure(error: unknown, request: RequestContext): unknown {
  if (error instanceof AgentError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === undefined || isMisuse(error, code)) return error;
  const { label, redact } = request;
  const failed = failureAtProxy(error, code, request) ?? failureOnTheWay(code, request.url);
  const { kind, what, hint } = failed;
  const message = `${label} failed: ${what}${detail(code, error, redact)}.`;
  return new AgentError(kind, message, { cause: error, hint });
}

interface Meaning {
  readonly kind: FailureKind;
  readonly what: string;
  readonly hint?: string;
}

function failureAtProxy(
  error: Error,
  code: string,
  { url, proxy }: RequestContext,
): Meaning | undefined {
  if (proxy === undefined) return undefined;
  const status = /^Proxy .*\((\d{3})\)/.exec(error.message)?.[1];
  const name = `the proxy in ${proxy.name}, ${proxyAddress(proxy)},`;
  if (status === '407') return { kind: 'proxy-refused', what: `${name} asks for credentials` };
  if (status === '403') {
    const what = `${name} does not allow ${new URL(url).host}`;
    return { kind: 'proxy-forbids', what };
  }
  if (status !== undefined) return { kind: 'unreachable', what: `${name} could not connect` };
  if (code === 'ECONNREFUSED')
    return { kind: 'unreachable', what: `${name} refused the connection` };
  return UNREACHABLE.test(code) || error.message.startsWith('Proxy ')
    ? { kind: 'unreachable', what: `${name} could not be reached` }
    : undefined;
}

function failureOnTheWay(code: string, url: string): Meaning {
  const what = MEANINGS[code] ?? 'the connection failed';
  if (UNREACHABLE.test(code)) return { kind: 'unreachable', what };
  if (TLS.test(code)) return { kind: 'tls', what: 'no trusted TLS connection could be made' };
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { kind: 'bad-answer', what };
  if (NOT_HTTP.test(code) && url.startsWith('http:')) {
    const hint =
      'Check base-url: the port does not speak HTTP. If it speaks TLS, base-url needs https.';
    return { kind: 'not-http', what: 'the answer was not HTTP', hint };
  }
  return url.startsWith('http:')
    ? { kind: 'connection', what, hint: UNRELIABLE }
    : { kind: 'connection', what };
}

/** True for a bug of ours; undici's error for a 407 to plain http has the same code. */
function isMisuse(error: Error, code: string): boolean {
  return code === 'UND_ERR_INVALID_ARG' && !error.message.startsWith('Proxy Authentication');
}

function codeOf(error: Error): string | undefined {
  const code = systemCode(error) ?? (error.name === 'HTTPParserError' ? error.name : undefined);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function detail(code: string, error: Error, redact: Redact): string {
  // If several addresses were tried, the error that holds theirs has no message of its own.
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const whole = errors
    .map(each => (each instanceof Error ? each.message : String(each)))
    .join('; ');
  // Redact before cutting, which could leave part of a secret: Node has named a proxy's whole URL.
  const message = redact(withoutOpenSslPrefix(whole));
  const shown = truncate(message, MAX_DETAIL).trim();
  const parts = [message.includes(code) ? '' : code, shown].filter(part => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(': ')})`;
}

/** The reason in `thread:error:number:library:function:reason:file:line:`. */
function withoutOpenSslPrefix(message: string): string {
  return /^[\dA-F]+:error:[\dA-F]+:(?:[^:]*:){2}([^:]+):/.exec(message)?.[1] ?? message;
}
