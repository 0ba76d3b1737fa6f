import { truncate } from '../text/escape.ts';
import type { Redact } from '../text/redact.ts';

// Some requests and some answers have hints of their own.
const GENERAL_HINTS = {
  unauthorized: "Check token (the sandbox's access token, not an API key), username and base-url.",
  forbidden: 'Check that the token may use this sandbox, and that the sandbox may resume.',
  'sandbox-not-found':
    'Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.',
  'not-found': 'Check base-url: the service has no such operation there.',
  'no-such-file':
    'Check the path, and that an earlier step has written the file. If it may be missing, set if-no-file-found.',
  rejected: 'The agent does not take this request. Check header-prefix, sandbox-id and port.',
  'too-large':
    'A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.',
  busy: 'The sandbox or its host is busy, or still starting. Run the job again.',
  server:
    "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
  'disk-full': "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
  unreachable:
    'Check base-url, and that this runner can reach its host. If it needs a proxy, set HTTPS_PROXY.',
  connection:
    'The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.',
  'bad-answer': 'Check that base-url and the paths lead to the in-sandbox agent.',
  'file-changed':
    'Check that the runner may read the file, and upload once nothing writes it any more.',
  'not-written': 'Check that the runner may write the target, and that its disk is not full.',
  cancelled: 'The job was cancelled.',
} as const;

export type FailureKind = keyof typeof GENERAL_HINTS;

const RETRYABLE: readonly FailureKind[] = ['busy', 'server', 'connection', 'unreachable'];

// No other request can succeed either, once the retries are used up.
const FATAL: readonly FailureKind[] = [
  'unauthorized',
  'forbidden',
  'sandbox-not-found',
  'disk-full',
  'unreachable',
  'cancelled',
];

export type Hints = Partial<Readonly<Record<FailureKind, string>>>;

interface AgentErrorDetails {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly hint?: string | undefined;
  /** Not needed for refusals, which are recognized by their kind and status. */
  readonly hadNoEffect?: boolean;
}

export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hint: string;
  /** True if the request certainly had no effect: it was never sent, or was refused. */
  readonly hadNoEffect: boolean;

  constructor(kind: FailureKind, message: string, details: AgentErrorDetails = {}) {
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

// A proxy that gives up on a server, which may go on, answers 408 or 5xx.
function isRefusal(kind: FailureKind, status = 0): boolean {
  if (kind === 'rejected' || kind === 'sandbox-not-found') return true;
  return status >= 300 && status < 500 && status !== 408;
}

/** The part of an AgentError that goes into results. */
export type Failure = Pick<AgentError, 'kind' | 'status' | 'message' | 'hint'>;

export function isFatal({ kind }: Pick<Failure, 'kind'>): boolean {
  return FATAL.includes(kind);
}

const MAX_EXCERPT = 300;

/** Returns the start of a third party's text, on one line and without secrets. */
export function excerpt(text: string, redact: Redact, limit = MAX_EXCERPT): string {
  // Redact first: cutting could leave part of a secret.
  return truncate(redact(text).replace(/\s+/g, ' ').trim(), limit);
}
