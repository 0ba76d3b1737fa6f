import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
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

/** Creates a sandbox, retrying only after failures that certainly had no effect. @throws AgentError */
export function createSandbox(
  api: SandboxApi,
  { template, lifetime, metadata, env }: NewSandbox,
): Promise<Sandbox> {
  // E2B returns a token only with `secure`; `autoPause` would pause the sandbox when its lifetime
  // ends, instead of deleting it.
  const settings = { timeout: lifetime, secure: true, autoPause: false };
  const body = { templateID: template, ...settings, metadata, envVars: env };
  return call({ ...api, isRepeatable: hadNoEffect }, post('/sandboxes', body), answer =>
    decodeSandbox(answer, api.apiKey),
  );
}

/** Extends the sandbox's life to at least `lifetime` seconds. @throws AgentError */
export async function connectToSandbox(
  api: SandboxApi,
  id: string,
  lifetime: number,
): Promise<Sandbox> {
  const request = post(`${pathOf(id)}/connect`, { timeout: lifetime });
  const sandbox = await call(api, request, answer => decodeSandbox(answer, api.apiKey));
  return { ...sandbox, id };
}

/** Returns false if the sandbox was already gone. @throws AgentError */
export async function deleteSandbox(api: SandboxApi, id: string): Promise<boolean> {
  try {
    return await call(api, { method: 'DELETE', path: pathOf(id) }, () => true);
  } catch (error) {
    if (error instanceof AgentError && error.status === 404) return false;
    throw error;
  }
}

async function call<T>(
  api: SandboxApi,
  request: AgentRequest,
  decode: (answer: Answer) => T,
): Promise<T> {
  const outcome = await withRetries(async () => decode(await api.client.send(request)), api);
  if ('value' in outcome) return outcome.value;
  const { kind, message, status, code } = outcome.error;
  throw new AgentError(kind, message, { status, code, hint: HINTS[kind] ?? OTHER_HINT });
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

function hadNoEffect({ kind, status, code }: AgentError): boolean {
  return kind === 'unreachable' || status === 429 || status === 503 || code === CREATE_FAILED;
}

// E2B asks clients to retry after this error.
const CREATE_FAILED = 'sandbox_create_failed';

/** Returns true if a creation that failed may have created a sandbox anyway. */
export function mayHaveCreated({ kind, status, code }: AgentError): boolean {
  if (code === CREATE_FAILED) return false;
  if (status === undefined) return ['connection', 'cancelled', 'bad-answer'].includes(kind);
  // The API answers 201; a 200 comes from a website or proxy.
  return status === 201 || status === 408 || (status >= 500 && status !== 503);
}

const HINTS: Partial<Readonly<Record<FailureKind, string>>> = {
  unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
  'not-found':
    'Check template, api-url, and sandbox-id: a sandbox that was deleted or has expired is gone.',
  'sandbox-not-found': 'Check sandbox-id: a sandbox that was deleted or has expired is gone.',
  'bad-answer': "Check api-url: it is the URL of the service's API, not of its website.",
};

const OTHER_HINT =
  "Check api-url, template, the limits of your account, and the service's status. Then run the job again.";
