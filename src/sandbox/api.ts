import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
import type { Client, Service } from '../agent/client.ts';
import { AgentError, type FailureKind } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import { isHeaderValue } from '../inputs/connection.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/unknown.ts';

export interface Sandbox {
  readonly id: string;
  readonly token: string | undefined;
  readonly domain: string | undefined;
}

export interface NewSandbox {
  readonly template: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface ApiOptions extends Pick<RetryPolicy, 'sleep' | 'random'> {
  readonly stop: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
}

export function apiService(inputs: Inputs<'sandbox-end'>): Service {
  const { apiUrl: baseUrl, apiKey, headers, timeout } = inputs;
  return { baseUrl, headers: { ...headers, 'X-API-Key': apiKey }, timeout };
}

/** Every method throws AgentError on failure. */
export type Api = ReturnType<typeof apiOf>;

export function apiOf(
  client: Client,
  { apiKey, retries }: Inputs<'sandbox-end'>,
  options: ApiOptions,
) {
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
    /** Creates a sandbox, retrying only after failures that certainly had no effect. */
    create({ template, lifetime, metadata, env }: NewSandbox): Promise<Sandbox> {
      // Without `secure`, the service returns no token. Nothing would resume a paused sandbox.
      const settings = { timeout: lifetime, secure: true, autoPause: false };
      const body = { templateID: template, ...settings, metadata, envVars: env };
      const isRepeatable = hadNoEffect;
      return send({ method: 'POST', path: '/sandboxes', body, isRepeatable }, toSandbox);
    },
    /** Connects to a sandbox and extends its life to at least `lifetime` seconds from now. */
    async connect(id: string, lifetime: number): Promise<Sandbox> {
      const path = `${pathOf(id)}/connect`;
      const sandbox = await send({ method: 'POST', path, body: { timeout: lifetime } }, toSandbox);
      return { ...sandbox, id };
    },
    /** Returns false if the sandbox was already gone. */
    remove(id: string): Promise<boolean> {
      const request = { method: 'DELETE', path: pathOf(id), statuses: [200, 204, 404] } as const;
      return send(request, ({ status }) => status !== 404);
    },
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
  // These values go to outputs and the sandbox, which must never see the account's API key.
  if ([id, token, domain].some(value => typeof value === 'string' && value.includes(apiKey)))
    throw badAnswer(answer, 'it contains the API key');
  if (typeof id !== 'string' || !/^(?=.*\w)[\x21-\x7e]{1,200}$/.test(id))
    throw badAnswer(answer, 'it names no sandbox');
  const hasToken = typeof token === 'string' && token !== '' && isHeaderValue(token);
  const hasDomain = typeof domain === 'string' && /^[\w.-]+(:\d+)?$/.test(domain);
  return { id, token: hasToken ? token : undefined, domain: hasDomain ? domain : undefined };
}

function hadNoEffect({ kind, status, code }: AgentError): boolean {
  return kind === 'unreachable' || status === 429 || status === 503 || code === CREATE_FAILED;
}

// E2B asks clients to retry after this error.
const CREATE_FAILED = 'sandbox_create_failed';

/** Returns true if a failed creation may still have made a sandbox. */
export function mayHaveCreated({ kind, status, code }: AgentError): boolean {
  if (code === CREATE_FAILED) return false;
  if (status === undefined) return ['connection', 'cancelled', 'bad-answer'].includes(kind);
  // The API answers 201; a website or proxy in its place answers 200.
  return status === 201 || status === 408 || (status >= 500 && status !== 503);
}

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
