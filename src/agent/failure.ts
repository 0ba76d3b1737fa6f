import { type Redact } from '../text/escape.ts';
import { errorText, systemCode } from '../text/format.ts';
import { cutEnd } from '../text/shorten.ts';

export type FailureKind = keyof typeof GENERAL_HINTS;

export type Hints = Partial<Readonly<Record<FailureKind, string>>>;

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hint: string;
  /** True if the request certainly had no effect: it was never sent, or was refused. */
  readonly hadNoEffect: boolean;

  constructor(
    kind: FailureKind,
    message: string,
    details: Partial<Pick<AgentError, 'status' | 'retryAfterMs' | 'hadNoEffect'>> & {
      readonly hint?: string | undefined;
    } = {},
  ) {
    super(message);
    const { status, retryAfterMs, hint, hadNoEffect = false } = details;
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.hint = hint ?? GENERAL_HINTS[kind];
    this.hadNoEffect = hadNoEffect || isRefusal(kind, status);
  }

  get isRetryable(): boolean {
    return RETRYABLE.includes(this.kind);
  }
}

// Requests and responses may have more specific hints.
const GENERAL_HINTS = {
  unauthorized: "Check token (the sandbox's access token, not an API key), username and base-url.",
  forbidden:
    'Check base-url, that the token may use this sandbox, and that the sandbox may resume.',
  'sandbox-not-found':
    'Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.',
  'not-found': 'Check base-url: the service has no such operation there.',
  'no-such-file':
    'Check the path, and that an earlier step has written the file. If it may be missing, set if-no-files-found.',
  rejected:
    'The agent does not take this request. Check base-url, header-prefix, sandbox-id and port.',
  'too-large':
    'A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.',
  busy: 'The sandbox or its host is busy, or still starting. Run the job again.',
  server:
    "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
  'disk-full': "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
  unreachable:
    'Check the host and port of base-url, that the service is up, and that this runner can reach it. If it needs a proxy, set HTTPS_PROXY.',
  untrusted:
    'Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs.',
  connection:
    'The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.',
  'bad-response': 'Check that base-url and the paths lead to the in-sandbox agent.',
  'file-changed':
    'Check that the runner may read the file, and upload once nothing writes it any more.',
  'not-written':
    'Check that the runner may write the target, that it is no folder (a target that ends in a slash keeps the name of the file), and that the disk is not full.',
  // Stands alone, as what happened to the step.
  cancelled: 'cancelled',
} as const;

const RETRYABLE: readonly FailureKind[] = ['busy', 'server', 'connection', 'unreachable'];

const FATAL: readonly FailureKind[] = [
  'unauthorized',
  'forbidden',
  'sandbox-not-found',
  'disk-full',
  'unreachable',
  'untrusted',
  'cancelled',
];

/** True if no other request can succeed either, once one has failed despite its retries. */
export function isFatal(kind: FailureKind): boolean {
  return FATAL.includes(kind);
}

// 408 and 5xx prove no refusal: a proxy sends them even if the server goes on.
function isRefusal(kind: FailureKind, status = 0): boolean {
  if (kind === 'rejected' || kind === 'sandbox-not-found') return status !== 500;
  return status >= 300 && status < 500 && status !== 408;
}

export type FailureInfo = Pick<AgentError, 'kind' | 'status' | 'message' | 'hint'>;

export function failureInfoOf({ kind, status, message, hint }: AgentError): FailureInfo {
  return { kind, status, message, hint };
}

export function wrapSystemErrors<T>(kind: FailureKind, what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : new AgentError(kind, `${what} (${code}).`);
  }
}

const MAX_EXCERPT = 300;

/** Returns the start of a third party's text, on one line and without secrets. */
export function excerpt(text: string, redact: Redact, limit = MAX_EXCERPT): string {
  // Redact first: cutting could leave part of a secret.
  return cutEnd(redact(text).replace(/\s+/g, ' ').trim(), limit);
}

/** Wraps network errors of undici and Node in an AgentError, and returns all others unchanged. */
export function networkError(
  error: unknown,
  label: string,
  redact: Redact,
  proxyVariables: readonly string[] = [],
): unknown {
  if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error))
    return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const rule = LOST_ROUTE.test(error.message)
    ? undefined
    : UNSENT_RULES.find(each => each.code?.test(code) ?? each.message?.test(error.message));
  const text = excerpt(rule?.words ?? messageOf(error), redact);
  const detail = text.includes(code) ? text : `${text} (${code})`;
  const hadNoEffect = rule !== undefined;
  const kind = rule === undefined ? 'connection' : (rule.kind ?? 'unreachable');
  const mayBeProxy = kind === 'unreachable' && proxyVariables.length > 0;
  const hint = rule?.hint ?? (mayBeProxy ? proxyHint(proxyVariables) : undefined);
  return new AgentError(kind, `${label} failed: ${detail}.`, { hint, hadNoEffect });
}

// On Linux, losing the route of an open connection gives the same codes as a failed connect(), but
// the request may have been sent.
const LOST_ROUTE = /^(read|write) E(HOST|NET)UNREACH/;

// Errors that come before the request is sent. The first match counts. After a handshake, TLS
// errors surface as ECONNRESET or UND_ERR_SOCKET, so the codes of TLS below mean that it failed.
const UNSENT_RULES: readonly {
  readonly code?: RegExp;
  readonly message?: RegExp;
  readonly words?: string;
  readonly kind?: FailureKind;
  readonly hint?: string;
}[] = [
  {
    code: /^ERR_SSL_WRONG_VERSION_NUMBER$/,
    words: 'the port speaks http, not https',
    hint: 'Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well. The URL of a proxy usually begins with http://, too.',
  },
  {
    // OpenSSL's verification codes have no common prefix, so match parts of them.
    code: /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/,
    kind: 'untrusted',
  },
  { code: /^EPROTO|_TLS_|_SSL_/ },
  {
    code: /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/,
  },
  { message: /^(Secure )?Proxy /i },
];

function proxyHint(variables: readonly string[]): string {
  // Only undici knows which hosts NO_PROXY exempts, so cover both cases.
  return `Check the proxy in ${variables.join(', ')}: is it up, may it reach the host, and does its URL have the user and password that it requires? If NO_PROXY exempts the host, check base-url, and that the service is up.`;
}

function codeOf(error: Error): string | undefined {
  // undici's HTTPParserError loses its code when bundled, so use its name.
  const code = systemCode(error) ?? (error.name === 'HTTPParserError' ? error.name : undefined);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function messageOf(error: Error): string {
  // Remove Node's tip about a command-line flag, which an action cannot set.
  if (!(error instanceof AggregateError)) return error.message.replace(/; if the root CA .*/, '');
  // If several addresses fail, only the inner errors have messages.
  return error.errors.map(errorText).join('; ');
}
