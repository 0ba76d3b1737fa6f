import { AgentError, type FailureKind } from '../agent/failure.ts';

// What to do about failures of the service's API, in place of what helps with a sandbox's agent.
const HINTS: Partial<Readonly<Record<FailureKind, string>>> = {
  unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
  forbidden: 'Check what the API key may do, and the limits of your account.',
  rejected: 'Check template, lifetime and the limits of your account.',
  busy: 'Delete sandboxes that you no longer need, check the limits of your account, or run the job later.',
  server: "Check the service's status, and run the job again.",
  'not-found':
    'Check template, api-url, and sandbox-id: a sandbox that was deleted or has expired is gone.',
  'sandbox-not-found': 'Check sandbox-id: a sandbox that was deleted or has expired is gone.',
  unreachable:
    'Check api-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY).',
  tls: "Check api-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file.",
  'not-http': 'Check api-url.',
  connection: 'The connection to the service is unreliable. Run the job again.',
  stalled: 'Run the job again, or raise timeout.',
  'bad-answer':
    "Check api-url: it is the URL of the service's API, such as https://api.e2b.app, not of its website.",
  redirected:
    'Redirects are not followed, so that the API key stays where it was sent. Check api-url.',
};

/** The same error, with what to do about a failure of the service's API. */
export function apiError(error: AgentError): AgentError {
  const { kind, message, status, retryAfterMs, cause } = error;
  const hint = HINTS[kind] ?? error.hint;
  return new AgentError(kind, message, { status, retryAfterMs, hint, cause });
}

/** Whether a request certainly had no effect, so that it may be repeated. */
export function hadNoEffect({ kind, status }: AgentError): boolean {
  return status === 429 || status === 503 || kind === 'unreachable' || kind === 'too-many-open';
}

const LOST: readonly FailureKind[] = ['connection', 'stalled', 'cancelled', 'bad-answer'];

/** Whether a request that failed may have worked all the same. */
export function mayHaveWorked({ kind, status }: AgentError): boolean {
  if (status === undefined) return LOST.includes(kind);
  // A service answers 201. A website or a proxy in its place answers 200.
  return status === 201 || status === 408 || (status >= 500 && status !== 503);
}
