import { truncate } from '../text/escape.ts';
import { systemCode } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';

interface Consequence {
  readonly isRetryable: boolean;
  /** True if, once the retries are used up, no other request can succeed either. */
  readonly isFatal: boolean;
  readonly hint: string;
}

const retryable = (hint: string): Consequence => ({ isRetryable: true, isFatal: false, hint });
const fatal = (hint: string): Consequence => ({ isRetryable: false, isFatal: true, hint });
const perFile = (hint: string): Consequence => ({ isRetryable: false, isFatal: false, hint });

const CONSEQUENCES = {
  unauthorized: fatal(
    "Check token (the sandbox's access token, not an API key), username and base-url.",
  ),
  forbidden: fatal('Check that the token may use this sandbox, and that the sandbox may resume.'),
  'sandbox-not-found': fatal(
    'Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.',
  ),
  'not-found': perFile('Check base-url: the service has no such operation there.'),
  rejected: perFile(
    'The agent does not take this request. Check header-prefix, sandbox-id and port.',
  ),
  'too-large': perFile(
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
    hint: 'Check base-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY). For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.',
  },
  connection: retryable(
    'The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If the port speaks TLS, base-url needs https.',
  ),
  'bad-answer': perFile('Check that base-url and the paths lead to the in-sandbox agent.'),
  'file-changed': perFile(
    'Check that the runner may read the file, and upload once nothing writes it any more.',
  ),
  cancelled: fatal('The job was cancelled.'),
} as const satisfies Readonly<Record<string, Consequence>>;

export type FailureKind = keyof typeof CONSEQUENCES;

/** Replaces hints with those for one operation. */
export type Hints = Partial<Readonly<Record<FailureKind, string>>>;

interface Details {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly code?: string | undefined;
  readonly hint?: string | undefined;
}

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly code: string | undefined;
  readonly hint: string;

  constructor(kind: FailureKind, message: string, details: Details = {}) {
    super(message);
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.code = details.code;
    this.hint = details.hint ?? CONSEQUENCES[kind].hint;
  }

  get isRetryable(): boolean {
    return CONSEQUENCES[this.kind].isRetryable;
  }
}

/** The part of an AgentError that goes into results. */
export type Failure = Pick<AgentError, 'kind' | 'status' | 'message' | 'hint'>;

export function isFatal({ kind }: Pick<Failure, 'kind'>): boolean {
  return CONSEQUENCES[kind].isFatal;
}

// OpenSSL's verification codes have no common prefix, so match parts of them.
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5)|EPROTO|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|_TLS_|_SSL_/;

/**
 * Wraps network errors of undici and Node in an AgentError. Returns anything else as it is, to
 * surface as a bug.
 */
export function networkFailure(error: unknown, label: string, redact: Redact): unknown {
  if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error))
    return error;
  const isProxy = /^(Secure )?Proxy /i.test(error.message);
  const code = codeOf(error);
  if (code === undefined || (code === 'UND_ERR_INVALID_ARG' && !isProxy)) return error;
  const kind = isProxy || UNREACHABLE.test(code) ? 'unreachable' : 'connection';
  const words = excerpt(messageOf(error), redact);
  const detail = words.includes(code) ? words : `${words} (${code})`;
  return new AgentError(kind, `${label} failed: ${detail}.`);
}

function codeOf(error: Error): string | undefined {
  // undici's HTTPParserError loses its code when bundled.
  const code = systemCode(error) ?? (error.name === 'HTTPParserError' ? error.name : undefined);
  return code ?? (error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function messageOf(error: Error): string {
  // If several addresses fail, only the inner errors have messages.
  if (!(error instanceof AggregateError)) return error.message;
  return error.errors.map(each => (each instanceof Error ? each.message : String(each))).join('; ');
}

const MAX_EXCERPT = 300;

/** Returns the start of a third party's text, on one line and without secrets. */
export function excerpt(text: string, redact: Redact): string {
  // Redact first: cutting could leave part of a secret.
  return truncate(redact(text).replace(/\s+/g, ' ').trim(), MAX_EXCERPT);
}
