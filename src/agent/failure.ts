interface Consequence {
  readonly retry: 'always' | 'once' | 'never';
  /** True if no other request can succeed either, once this one has used up its attempts. */
  readonly isFatal: boolean;
  readonly hint: string;
}

const retryable = (hint: string): Consequence => ({ retry: 'always', isFatal: false, hint });
const fatal = (hint: string): Consequence => ({ retry: 'never', isFatal: true, hint });
const perFile = (hint: string): Consequence => ({ retry: 'never', isFatal: false, hint });

const CONSEQUENCES = {
  unauthorized: fatal(
    "Check token (the sandbox's access token, not an API key), username and base-url.",
  ),
  'unknown-user': fatal('Correct username.'),
  forbidden: fatal('Check that the token may use this sandbox, and that the sandbox may resume.'),
  'sandbox-not-found': fatal(
    'Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must outlast the job.',
  ),
  'disk-full': fatal(
    "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
  ),
  unreachable: {
    retry: 'always',
    isFatal: true,
    hint: 'Check base-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY).',
  },
  'proxy-refused': fatal(
    'The proxy asks for credentials. Put them into the proxy variable: http://user:password@host:port.',
  ),
  'proxy-forbids': fatal('Allow the host in the proxy, or add it to NO_PROXY.'),
  'too-many-open': retryable(
    'Let the runner open more files (ulimit -n), or set concurrency to a smaller number.',
  ),
  tls: fatal(
    "Check base-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file.",
  ),
  'not-http': fatal('Check base-url.'),
  connection: retryable(
    'The connection to the sandbox is unreliable. Run the job again, or raise retries.',
  ),
  stalled: retryable('Run the job again, or raise timeout if the sandbox needs longer to answer.'),
  busy: retryable(
    'The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2.',
  ),
  server: retryable(
    "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
  ),
  'file-changed': retryable('Upload once nothing writes the file any more.'),
  // It may belong to an earlier request on the same connection, so retry once.
  'bad-answer': {
    retry: 'once',
    isFatal: false,
    hint: 'Check that base-url and the paths lead to the in-sandbox agent.',
  },
  rejected: perFile(
    'The agent does not take this request. Check header-prefix, and that the service is compatible.',
  ),
  'not-routed': fatal(
    'The request was not routed: check header-prefix, sandbox-id and port. E2B needs header-prefix: E2b.',
  ),
  'not-found': perFile(
    'Check base-url, upload-path and stats-path: the service has no such operation there.',
  ),
  'too-large': perFile(
    'A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.',
  ),
  redirected: perFile(
    'Redirects are not followed, so that the token stays where it was sent. Check base-url.',
  ),
  'not-a-directory': perFile(
    'Part of the target is a file in the sandbox. Give the file another target, or remove that file.',
  ),
  misplaced: perFile('Set files-per-request: 1.'),
  overwritten: perFile('Give one of them another target, or exclude it.'),
  'file-replaced': perFile('Upload once nothing replaces the file any more.'),
  'file-unreadable': perFile('Check that the file is still there and that the runner may read it.'),
  cancelled: fatal('The job was cancelled.'),
} as const satisfies Readonly<Record<string, Consequence>>;

/** What went wrong between the action and the sandbox. */
export type FailureKind = keyof typeof CONSEQUENCES;

/** What is kept of an error once a file has failed for good: neither its stack nor its causes. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

interface Details {
  readonly status?: number | undefined;
  /** How long the agent asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** If more is known than the kind says. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The agent, the way to it, or reading a file failed. */
export class AgentError extends Error implements Failure {
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly hint: string;

  constructor(kind: FailureKind, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.name = 'AgentError';
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.hint = details.hint ?? CONSEQUENCES[kind].hint;
  }

  get isRetryable(): boolean {
    return CONSEQUENCES[this.kind].retry !== 'never';
  }

  /** How many of the retries that the user allows this failure is worth. */
  retriesOf(allowed: number): number {
    const { retry } = CONSEQUENCES[this.kind];
    if (retry === 'always') return allowed;
    return retry === 'once' ? Math.min(allowed, 1) : 0;
  }
}

export function failureOf({ kind, status, message, hint }: AgentError): Failure {
  return { kind, status, message, hint };
}

export function isFatal({ kind }: Failure): boolean {
  return CONSEQUENCES[kind].isFatal;
}
