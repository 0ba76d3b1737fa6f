import { type Client, openClient, postJson, type RequestLimits } from '../agent/client.ts';
import { AgentError, type FailureKind } from '../agent/failure.ts';
import { type AgentResponse, bodyError, isFromProxy, parseResponse } from '../agent/http.ts';
import { describeRetry, type Retry, type RetryOptions, withRetries } from '../agent/retry.ts';
import { isSandboxId } from '../inputs/connection.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';

export interface SandboxApi extends Client, RetryOptions {
  readonly limits: RequestLimits;
}

/** `stop` only prevents retries. */
export function openApi(
  { apiUrl: baseUrl, apiKey, headers, timeout, retries }: Inputs<'sandbox-end'>,
  context: Context,
  stop: AbortSignal,
): SandboxApi {
  const { killImminent, sleep, random, log } = context;
  const endpoint = { baseUrl, headers: { ...headers, 'X-API-Key': apiKey }, timeout };
  const client = openClient(endpoint, context);
  const limits = { signal: killImminent, timeout };
  const onRetry = (retry: Retry) => log.line(describeRetry('the sandbox', retry));
  return { ...client, limits, retries, sleep, random, stop, onRetry };
}

export interface Sandbox {
  readonly id: string;
  readonly token: string | undefined;
  readonly domain: string | undefined;
}

/** Calls `onUncertain` if a failed attempt may have created a sandbox. */
export async function createSandbox(
  api: SandboxApi,
  inputs: Inputs<'sandbox'>,
  onUncertain: () => void,
): Promise<Sandbox> {
  const { template: templateID, lifetime, metadata, env: envVars, createOptions } = inputs;
  // E2B returns a token only with `secure`; `autoPause` would pause the sandbox when its lifetime
  // ends, instead of deleting it.
  const settings = { timeout: toSeconds(lifetime), secure: true, autoPause: false };
  const message = { ...createOptions, templateID, ...settings, metadata, envVars };
  const request = postJson('/sandboxes', message, api.limits);
  // Repeat after a 503, although it may have created a sandbox: services send it whenever they
  // restart, which should not fail a job.
  const isRepeatable = ({ hadNoEffect, status }: AgentError) => hadNoEffect || status === 503;
  const create = async () => {
    try {
      return decodeSandbox(await api.send(request));
    } catch (error) {
      if (!(error instanceof AgentError && error.hadNoEffect)) onUncertain();
      throw error;
    }
  };
  const cancelled = 'cancelled while the sandbox was created';
  return await callWithRetries({ ...api, isRepeatable }, create, cancelled);
}

/** Extends the sandbox's lifetime to at least `lifetimeMs` from now. */
export async function connectToSandbox(
  api: SandboxApi,
  id: string,
  lifetimeMs: number,
): Promise<Sandbox> {
  const message = { timeout: toSeconds(lifetimeMs) };
  const request = postJson(`/sandboxes/${id}/connect`, message, api.limits);
  const connect = async () => decodeSandbox(await api.send(request));
  return { ...(await callWithRetries(api, connect)), id };
}

/** Logs whether the sandbox was deleted or already gone. */
export function deleteSandbox(api: SandboxApi, id: string, log: Context['log']): Promise<void> {
  const request = { ...api.limits, method: 'DELETE', path: `/sandboxes/${id}` } as const;
  return callWithRetries(api, async () => {
    try {
      const response = await api.send(request);
      if (isFromProxy(response)) throw bodyError(response, 'it is not JSON');
      log.line(`Deleted sandbox ${id}`);
    } catch (error) {
      if (!(error instanceof AgentError && error.kind === 'sandbox-not-found')) throw error;
      log.line(`Sandbox ${id} was already gone`);
    }
  });
}

/** Finds sandboxes by their metadata. */
export function findSandboxIds(api: SandboxApi, key: string, value: string): Promise<string[]> {
  // The parameter's value is a query itself.
  const query = String(new URLSearchParams({ metadata: `${key}=${value}` }));
  const request = { ...api.limits, method: 'GET', path: `/v2/sandboxes?${query}` } as const;
  return callWithRetries(api, async () => {
    const response = await api.send(request);
    const list = parseResponse(response);
    if (!Array.isArray(list)) throw bodyError(response, 'it is no list');
    // Some services ignore the query, and list other sandboxes, too.
    const isOurs = (entry: unknown) => fieldsOf(fieldsOf(entry)['metadata'])[key] === value;
    return list.filter(isOurs).map(entry => decodeSandbox(response, entry).id);
  });
}

async function callWithRetries<T>(
  api: RetryOptions,
  call: () => Promise<T>,
  cancelled = 'cancelled',
): Promise<T> {
  const outcome = await withRetries(call, api);
  if (outcome.status === 'done') return outcome.value;
  const { kind, message } = outcome.error;
  const hint = kind === 'cancelled' ? cancelled : (API_HINTS[kind] ?? OTHER_HINT);
  throw new AgentError(kind, message, { hint });
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

function decodeSandbox(response: AgentResponse, value = parseResponse(response)): Sandbox {
  const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(value);
  if (typeof id !== 'string' || !isSandboxId(id)) throw bodyError(response, 'it names no sandbox');
  const text = (field: unknown) => (typeof field === 'string' && field !== '' ? field : undefined);
  return { id, token: text(token), domain: text(domain) };
}

const API_HINTS: Partial<Readonly<Record<FailureKind, string>>> = {
  unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
  'not-found': 'Check template or sandbox-id, and api-url, to which /sandboxes is added.',
  'sandbox-not-found':
    'Check sandbox-id (a sandbox that was deleted or has expired is gone), and api-url, to which /sandboxes is added.',
  unreachable:
    'Check api-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY).',
  untrusted:
    'Check api-url. For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.',
  connection:
    'The connection is unreliable, or the service needs longer to answer: run the job again, or raise timeout. If api-url begins with http://, the port may want https://.',
  'bad-response': "Check api-url: it is the URL of the service's API, not of its website.",
};

const OTHER_HINT =
  "Check api-url, the limits of your account and the service's status. Then run the job again.";
