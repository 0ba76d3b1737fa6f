import { type Answer, badAnswer, isFromProxy, parseAnswer } from '../agent/answer.ts';
import { lend } from '../agent/borrowed-chunk.ts';
import type { AgentRequest, Client, Service } from '../agent/client.ts';
import { AgentError, type FailureKind } from '../agent/failure.ts';
import { type RetryOptions, withRetries } from '../agent/retry.ts';
import { isHeaderValue, isSandboxId } from '../inputs/connection.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';

export interface Sandbox {
  readonly id: string;
  readonly token: string | undefined;
  readonly domain: string | undefined;
}

interface NewSandbox {
  readonly template: string;
  /** Seconds. */
  readonly lifetime: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxApi extends RetryOptions {
  readonly client: Client;
  readonly apiKey: string;
}

export function apiService(inputs: Inputs<'sandbox-end'>): Service {
  const { apiUrl: baseUrl, apiKey, headers, timeout: timeoutMs } = inputs;
  return { baseUrl, headers: { ...headers, 'X-API-Key': apiKey }, timeoutMs };
}

/**
 * Creates a sandbox. Calls `onUncertain` after each attempt that failed but may have created one.
 * @throws AgentError
 */
export function createSandbox(
  api: SandboxApi,
  { template, lifetime, metadata, env }: NewSandbox,
  onUncertain: () => void,
): Promise<Sandbox> {
  // E2B returns a token only with `secure`; `autoPause` would pause the sandbox when its lifetime
  // ends, instead of deleting it.
  const settings = { timeout: lifetime, secure: true, autoPause: false };
  const body = { templateID: template, ...settings, metadata, envVars: env };
  const request = post('/sandboxes', body);
  return call({ ...api, isRepeatable }, async () => {
    try {
      return decodeSandbox(await api.client.send(request), api.apiKey);
    } catch (error) {
      if (mayHaveCreated(error)) onUncertain();
      throw error;
    }
  });
}

/** Extends the sandbox's life to at least `lifetime` seconds. @throws AgentError */
export async function connectToSandbox(
  api: SandboxApi,
  id: string,
  lifetime: number,
): Promise<Sandbox> {
  const request = post(`${pathOf(id)}/connect`, { timeout: lifetime });
  const sandbox = await call(api, async () =>
    decodeSandbox(await api.client.send(request), api.apiKey),
  );
  return { ...sandbox, id };
}

/** Returns false if the sandbox was already gone. @throws AgentError */
export async function deleteSandbox(api: SandboxApi, id: string): Promise<boolean> {
  try {
    return await call(api, async () => {
      const answer = await api.client.send({ method: 'DELETE', path: pathOf(id) });
      if (isFromProxy(answer)) throw badAnswer(answer, 'it is not JSON');
      return true;
    });
  } catch (error) {
    if (error instanceof AgentError && error.status === 404 && !error.isFromProxy) return false;
    throw error;
  }
}

async function call<T>(api: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const outcome = await withRetries(attempt, api);
  if ('value' in outcome) return outcome.value;
  const { kind, message, status, isFromProxy } = outcome.error;
  throw new AgentError(kind, message, { status, isFromProxy, hint: HINTS[kind] ?? OTHER_HINT });
}

function pathOf(id: string): string {
  return `/sandboxes/${encodeURIComponent(id)}`;
}

function post(path: string, body: object): AgentRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  return { method: 'POST', path, headers, body: [lend(bytes)] };
}

function decodeSandbox(answer: Answer, apiKey: string): Sandbox {
  const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
  // Outputs and the sandbox receive these values, and must never see the account's API key.
  if ([id, token, domain].some(value => typeof value === 'string' && value.includes(apiKey)))
    throw badAnswer(answer, 'it contains the API key');
  if (typeof id !== 'string' || !isSandboxId(id)) throw badAnswer(answer, 'it names no sandbox');
  const hasToken = typeof token === 'string' && token !== '' && isHeaderValue(token);
  const hasDomain = typeof domain === 'string' && /^[\w.-]+(:\d+)?$/.test(domain);
  return { id, token: hasToken ? token : undefined, domain: hasDomain ? domain : undefined };
}

// E2B's `error_code` for a creation that failed without effect, and may be tried again.
const CREATE_FAILED = 'sandbox_create_failed';

/** Returns true for failures without effect, and for 503, which a service sends while it restarts. */
function isRepeatable({ status, code, isUnsent }: AgentError): boolean {
  return isUnsent || status === 429 || status === 503 || code === CREATE_FAILED;
}

/** Returns true unless a creation that failed certainly created nothing. */
function mayHaveCreated(error: unknown): boolean {
  if (!(error instanceof AgentError)) return true;
  const { status, code, isUnsent, isFromProxy } = error;
  if (isUnsent || code === CREATE_FAILED) return false;
  if (status === undefined) return true;
  if (status < 300) return !isFromProxy || status === 201;
  // A proxy that gave up on the API answers 408 or 5xx; Envoy also answers 503.
  return status === 408 || status >= 500;
}

const HINTS: Partial<Readonly<Record<FailureKind, string>>> = {
  unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
  'not-found': 'Check template or sandbox-id, and api-url, to which /sandboxes is added.',
  'sandbox-not-found': 'Check sandbox-id: a sandbox that was deleted or has expired is gone.',
  busy: "Check the limits of your account and the service's status. Then run the job again.",
  server: "Check the service's status. Then run the job again.",
  unreachable:
    'Check api-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY). For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.',
  connection:
    'The connection is unreliable, or the service needs longer to answer: run the job again, or raise timeout. If api-url begins with http://, the port may want https://.',
  'bad-answer': "Check api-url: it is the URL of the service's API, not of its website.",
};

const OTHER_HINT =
  "Check api-url, template, the limits of your account, and the service's status. Then run the job again.";
