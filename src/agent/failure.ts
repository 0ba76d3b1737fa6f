/** What follows from a failure: whether to try again, whether any other request can still succeed, and what to do. */
interface Meaning {
  readonly retry: boolean;
  readonly final: boolean;
  readonly hint: string;
}

const again = (hint: string): Meaning => ({ retry: true, final: false, hint });
const ends = (hint: string): Meaning => ({ retry: false, final: true, hint });
const single = (hint: string): Meaning => ({ retry: false, final: false, hint });

const MEANINGS = {
  unauthorized: ends(
    'Check that token is the access token of this sandbox, and no API key, that username, if set, exists in it, and base-url.',
  ),
  forbidden: ends('Check that the token may use this sandbox, and that the sandbox may be resumed.'),
  'sandbox-not-found': ends(
    'Check sandbox-id, and that the sandbox was not killed and has not expired: its lifetime must outlast the job.',
  ),
  'disk-full': ends("The sandbox's disk is full. Upload less, or use a sandbox with a larger disk."),
  unreachable: {
    retry: true,
    final: true,
    hint: 'Check base-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY).',
  },
  'proxy-refused': ends(
    'The proxy asks for credentials. Put them into the proxy variable: http://user:password@host:port.',
  ),
  'too-many-open': again('Let the runner open more files (ulimit -n), or set concurrency to a smaller number.'),
  tls: ends(
    "Check base-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file.",
  ),
  connection: again('The connection to the sandbox is unreliable. Run the job again, or raise retries.'),
  stalled: again('Run the job again, or raise timeout if the sandbox needs longer to answer.'),
  busy: again(
    'The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2.',
  ),
  server: again(
    "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
  ),
  'file-changed': again('Upload once nothing writes the file any more.'),
  rejected: single('The agent does not take this request. Check header-prefix, and that the service is compatible.'),
  'not-routed': ends(
    'The request was not routed: check header-prefix, sandbox-id and port. E2B needs header-prefix: E2b.',
  ),
  'not-found': single('Check base-url, upload-path and stats-path: the service has no such operation there.'),
  'too-large': single('A proxy on the way limits the size of a request. Upload the file in parts.'),
  redirected: single('Redirects are not followed, so that the token stays where it was sent. Check base-url.'),
  'bad-answer': single('Check that base-url and the paths lead to the in-sandbox agent.'),
  overwritten: single('Give one of them another target, or exclude it.'),
  'file-unreadable': single('Check that the file is still there and that the runner may read it.'),
  cancelled: ends('The job was cancelled.'),
} as const satisfies Readonly<Record<string, Meaning>>;

/** What went wrong between the action and the sandbox. */
export type FailureKind = keyof typeof MEANINGS;

interface Details {
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** How long the agent asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** What to do, where more is known than the kind says. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The agent, the way to it, or reading the file failed. The message says what happened, the hint what to do. */
export class AgentError extends Error {
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
    this.hint = details.hint ?? MEANINGS[kind].hint;
  }

  get retryable(): boolean {
    return MEANINGS[this.kind].retry;
  }

  /** Whether no other request can succeed either, once this one has had its attempts. */
  get final(): boolean {
    return MEANINGS[this.kind].final;
  }
}
