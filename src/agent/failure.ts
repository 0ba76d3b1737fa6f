import { systemCode } from '../text/errors.ts';
import { truncate } from '../text/escape.ts';
import type { Redact } from '../text/redact.ts';

interface FailurePolicy {
  readonly isRetryable: boolean;
  /** True if no other request can succeed either, once the retries are used up. */
  readonly isFatal: boolean;
  readonly hint: string;
}

const retryable = (hint: string): FailurePolicy => ({ isRetryable: true, isFatal: false, hint });
const fatal = (hint: string): FailurePolicy => ({ isRetryable: false, isFatal: true, hint });
const notRetryable = (hint: string): FailurePolicy => ({
  isRetryable: false,
  isFatal: false,
  hint,
});

const FAILURE_POLICIES = {
  unauthorized: fatal(
    "Check token (the sandbox's access token, not an API key), username and base-url.",
  ),
  forbidden: fatal('Check that the token may use this sandbox, and that the sandbox may resume.'),
  'sandbox-not-found': fatal(
    'Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.',
  ),
  'not-found': notRetryable('Check base-url: the service has no such operation there.'),
  'no-such-file': notRetryable(
    'Check the path, and that an earlier step has written the file. If it may be missing, set if-no-file-found.',
  ),
  rejected: notRetryable(
    'The agent does not take this request. Check header-prefix, sandbox-id and port.',
  ),
  'too-large': notRetryable(
    'A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.',
  ),
  busy: retryable('The sandbox or its host is busy, or still starting. Run the job again.'),
  server: retryable(
    "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
  ),
  'disk-full': fatal(
    "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
  ),
  unreachable: {
    isRetryable: true,
    isFatal: true,
    hint: 'Check base-url, and that this runner can reach its host. If it needs a proxy, set HTTPS_PROXY.',
  },
  connection: retryable(
    'The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.',
  ),
  'bad-answer': notRetryable('Check that base-url and the paths lead to the in-sandbox agent.'),
  'file-changed': notRetryable(
    'Check that the runner may read the file, and upload once nothing writes it any more.',
  ),
  'not-written': notRetryable(
    'Check that the runner may write the target, and that its disk is not full.',
  ),
  cancelled: fatal('The job was cancelled.'),
} as const satisfies Readonly<Record<string, FailurePolicy>>;

export type FailureKind = keyof typeof FAILURE_POLICIES;

/** Hints that replace the general ones for one kind of request. */
export type Hints = Partial<Readonly<Record<FailureKind, string>>>;

interface AgentErrorOptions {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
  /** True if the request certainly had no effect, because it was never sent. */
  readonly isUnsent?: boolean | undefined;
  /** True if the body is neither empty nor JSON, so a proxy or a website probably wrote it. */
  readonly isFromProxy?: boolean | undefined;
}

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly code: string | undefined;
  readonly hint: string;
  readonly isUnsent: boolean;
  readonly isFromProxy: boolean;

  constructor(kind: FailureKind, message: string, options: AgentErrorOptions = {}) {
    super(message);
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.code = options.code;
    this.hint = options.hint ?? FAILURE_POLICIES[kind].hint;
    this.isUnsent = options.isUnsent ?? false;
    this.isFromProxy = options.isFromProxy ?? false;
  }

  get isRetryable(): boolean {
    return FAILURE_POLICIES[this.kind].isRetryable;
  }
}

/** The part of an AgentError that goes into results. */
export type Failure = Pick<AgentError, 'kind' | 'status' | 'message' | 'hint'>;

export function isFatal({ kind }: Pick<Failure, 'kind'>): boolean {
  return FAILURE_POLICIES[kind].isFatal;
}

// No connection was made. With a proxy, every connection is one to the proxy.
const NOT_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/;

// Linux reports the same codes if an open connection loses its route.
const LOST_ROUTE = /^(read|write) E(HOST|NET)UNREACH/;

// The TLS handshake failed: later errors surface as ECONNRESET or UND_ERR_SOCKET. OpenSSL's
// verification codes have no common prefix, so match parts of them.
const NO_HANDSHAKE = /^(EPROTO|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|_TLS_|_SSL_/;

/**
 * Wraps network errors of undici and Node in an AgentError. Returns anything else as it is, to
 * surface as a bug. `proxy` is the service's proxy according to the environment.
 */
export function networkFailure(
  error: unknown,
  label: string,
  redact: Redact,
  proxy?: URL,
): unknown {
  if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error))
    return error;
  const isProxy = /^(Secure )?Proxy /i.test(error.message);
  const code = codeOf(error);
  if (code === undefined || (code === 'UND_ERR_INVALID_ARG' && !isProxy)) return error;
  const isNotConnected = isProxy || (NOT_CONNECTED.test(code) && !LOST_ROUTE.test(error.message));
  const isUnsent = isNotConnected || NO_HANDSHAKE.test(code);
  const kind = isUnsent ? 'unreachable' : 'connection';
  const words = code === NOT_TLS ? 'the port speaks http, not https' : messageOf(error);
  const text = excerpt(words, redact);
  const detail = text.includes(code) ? text : `${text} (${code})`;
  const failedProxy = isNotConnected ? proxy : undefined;
  const place = failedProxy === undefined ? '' : ` at the proxy ${failedProxy.host}`;
  const hint = failedProxy === undefined ? hintFor(code, proxy) : proxyHint(words, failedProxy);
  return new AgentError(kind, `${label} failed${place}: ${detail}.`, { hint, isUnsent });
}

function proxyHint(message: string, { host }: URL): string {
  return /\b407\b/.test(message)
    ? `The proxy ${host} requires a valid user and password. Write them into its URL, as in http://user:password@host:port.`
    : `Check that the proxy ${host} is up, and lets this runner reach the host.`;
}

const NOT_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

function hintFor(code: string, proxy: URL | undefined): string | undefined {
  if (code === NOT_TLS && proxy?.protocol === 'https:')
    return `Check the URL of the proxy ${proxy.host}, which usually begins with http://, and the port in base-url.`;
  if (code === NOT_TLS)
    return 'Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well.';
  if (/CERT|UNABLE_TO_|HOSTNAME_MISMATCH/.test(code))
    return 'Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs.';
  if (code === 'ECONNREFUSED')
    return 'Nothing accepts connections there. Check the host and port of base-url, and that the service is up.';
  return undefined;
}

function codeOf(error: Error): string | undefined {
  // undici's HTTPParserError loses its code when bundled.
  const code = systemCode(error) ?? (error.name === 'HTTPParserError' ? error.name : undefined);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function messageOf(error: Error): string {
  // If several addresses fail, only the inner errors have messages. Remove Node's tip about a
  // command-line flag, which an action cannot set.
  if (!(error instanceof AggregateError)) return error.message.replace(/; if the root CA .*/, '');
  return error.errors.map(each => (each instanceof Error ? each.message : String(each))).join('; ');
}

const MAX_EXCERPT = 300;

/** Returns the start of a third party's text, on one line and without secrets. */
export function excerpt(text: string, redact: Redact): string {
  // Redact first: cutting could leave part of a secret.
  return truncate(redact(text).replace(/\s+/g, ' ').trim(), MAX_EXCERPT);
}
