import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
import { type ClientOptions, openServiceClient } from '../agent/client.ts';
import { AgentError, type FailureKind } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import { isHeaderValue } from '../inputs/connection.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/unknown.ts';

/** A sandbox as the service's API describes it. */
export interface Sandbox {
  readonly id: string;
  /** Undefined if the service returned none. */
  readonly token: string | undefined;
  readonly domain: string | undefined;
}

/** What to create. */
export interface NewSandbox {
  readonly template: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface ApiOptions extends ClientOptions, Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Ends the retries. */
  readonly stop: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
}

/** The API by which a service creates and deletes sandboxes. Everything throws AgentError. */
export type Api = ReturnType<typeof openApi>;

export function openApi(inputs: Inputs<'sandbox-end'>, options: ApiOptions) {
  const { apiUrl: baseUrl, apiKey, headers, retries, timeout } = inputs;
  const service = { baseUrl, headers: { ...headers, 'X-API-Key': apiKey }, timeout };
  const client = openServiceClient(service, options);

  async function send<T>(
    { body, isRepeatable, ...request }: ApiRequest,
    decode: (answer: Answer) => T,
  ): Promise<T> {
    const sending = { ...request, ...(body && jsonBody(body)) };
    const policy = { ...options, retries, ...(isRepeatable && { isRepeatable }) };
    const outcome = await withRetries(async () => decode(await client.send(sending)), policy);
    if ('error' in outcome) throw withApiHint(outcome.error);
    return outcome.value;
  }

  const toSandbox = (answer: Answer) => decodeSandbox(answer, apiKey);
  const pathOf = (id: string) => `/sandboxes/${encodeURIComponent(id)}`;
  return {
    /** Creates a sandbox. Repeats the request only if the one before certainly had no effect. */
    create({ template, lifetime, metadata, env }: NewSandbox): Promise<Sandbox> {
      // Without `secure`, the service returns no token. Nobody would wake a sandbox that pauses.
      const settings = { timeout: lifetime, secure: true, autoPause: false };
      const body = { templateID: template, ...settings, metadata, envVars: env };
      const isRepeatable = hadNoEffect;
      return send({ method: 'POST', path: '/sandboxes', body, isRepeatable }, toSandbox);
    },
    /** Connects to a sandbox, and extends its life to at least so many seconds from now. */
    async connect(id: string, lifetime: number): Promise<Sandbox> {
      const path = `${pathOf(id)}/connect`;
      const sandbox = await send({ method: 'POST', path, body: { timeout: lifetime } }, toSandbox);
      return { ...sandbox, id };
    },
    /** Deletes a sandbox. Returns false if there is no such sandbox any more. */
    remove(id: string): Promise<boolean> {
      const request = { method: 'DELETE', path: pathOf(id), statuses: [200, 204, 404] } as const;
      return send(request, ({ status }) => status !== 404);
    },
    close: () => client.close(),
  };
}

interface ApiRequest {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly statuses?: readonly number[];
  readonly isRepeatable?: (error: AgentError) => boolean;
}

function jsonBody(value: object) {
  const bytes = Buffer.from(JSON.stringify(value));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  return { headers, body: [bytes] };
}

function decodeSandbox(answer: Answer, apiKey: string): Sandbox {
  const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
  // These go into outputs, and to the sandbox: the key of the whole account must not.
  if ([id, token, domain].some(value => typeof value === 'string' && value.includes(apiKey)))
    throw badAnswer(answer, 'it contains the API key');
  if (typeof id !== 'string' || !/^(?=.*\w)[\x21-\x7e]{1,200}$/.test(id))
    throw badAnswer(answer, 'it names no sandbox');
  const hasToken = typeof token === 'string' && token !== '' && isHeaderValue(token);
  const hasDomain = typeof domain === 'string' && /^[\w.-]+(:\d+)?$/.test(domain);
  return { id, token: hasToken ? token : undefined, domain: hasDomain ? domain : undefined };
}

/** Tells if a creation certainly had no effect, so that it may be repeated. */
function hadNoEffect({ kind, status, code }: AgentError): boolean {
  return kind === 'unreachable' || status === 429 || status === 503 || code === CREATE_FAILED;
}

// E2B's words for "please retry".
const CREATE_FAILED = 'sandbox_create_failed';

/** Tells if a creation that failed may have made a sandbox all the same. */
export function mayHaveCreated({ kind, status, code }: AgentError): boolean {
  if (code === CREATE_FAILED) return false;
  if (status === undefined) return ['connection', 'cancelled', 'bad-answer'].includes(kind);
  // A service answers 201; a website or a proxy in its place answers 200.
  return status === 201 || status === 408 || (status >= 500 && status !== 503);
}

// In place of the hints on a sandbox's agent.
const HINTS: Partial<Readonly<Record<FailureKind, string>>> = {
  unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
  forbidden: 'Check what the API key may do, and the limits of your account.',
  rejected: 'Check template, lifetime and the limits of your account.',
  busy: 'Delete sandboxes that you no longer need, check the limits of your account, or run the job later.',
  server: "Check the service's status, and run the job again.",
  'not-found':
    'Check template, api-url, and sandbox-id: a sandbox that was deleted or has expired is gone.',
  'sandbox-not-found': 'Check sandbox-id: a sandbox that was deleted or has expired is gone.',
  unreachable: 'Check api-url, and the proxy settings of this runner (HTTPS_PROXY, NO_PROXY).',
  connection: 'The connection to the service is unreliable. Run the job again.',
  'bad-answer':
    "Check api-url: it is the URL of the service's API, such as https://api.e2b.app, not of its website.",
};

function withApiHint(error: AgentError): AgentError {
  const { kind, message, status, code, retryAfterMs, cause } = error;
  const hint = HINTS[kind] ?? error.hint;
  return new AgentError(kind, message, { status, code, retryAfterMs, hint, cause });
}
