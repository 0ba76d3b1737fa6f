import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
import { openServiceClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type Retry, type RetryPolicy, withRetries } from '../agent/retry.ts';
import { isHeaderValue } from '../inputs/headers.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import { apiError, hadNoEffect } from './failure.ts';

/** A sandbox as the service's API describes it. */
export interface Sandbox {
  readonly id: string;
  /** Undefined if the service returned none. */
  readonly token: string | undefined;
  readonly domain: string | undefined;
}

/** What to create. Times are in seconds. */
export interface NewSandbox {
  readonly template: string;
  readonly lifetime: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** The API by which a service creates sandboxes. All of it throws AgentError. */
export interface Api {
  /** Is never sent again if it may have arrived. */
  readonly create: (sandbox: NewSandbox) => Promise<Sandbox>;
  /** Lets a sandbox live for at least so many seconds from now on. */
  readonly connect: (id: string, lifetime: number) => Promise<Sandbox>;
  /** False if there is no such sandbox any more. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export interface ApiOptions extends Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Ends the retries. */
  readonly stop: AbortSignal;
  /** Ends a request that is in flight. */
  readonly lastCall: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onRetry: (retry: Retry) => void;
}

/** Opens the API; `secrets` are shown in no message either. @throws InputError for a bad proxy */
export function openApi(
  { apiUrl, apiKey, headers, retries, timeout }: Inputs<'sandbox-end'>,
  secrets: readonly string[],
  options: ApiOptions,
): Api {
  const client = openServiceClient(
    {
      baseUrl: apiUrl,
      headers: { ...headers, 'X-API-Key': apiKey },
      secrets: [apiKey, ...secrets],
      timeout,
    },
    { cancel: options.lastCall, now: options.now },
  );

  async function send<T>(request: ApiRequest, decode: (answer: Answer) => T): Promise<T> {
    const { method, path, body, statuses = [200, 201], isRepeatable = () => true } = request;
    const sending = { method, path, statuses, ...(body && jsonBody(body)) };
    const policy = { ...options, retries, isRepeatable };
    try {
      const outcome = await withRetries(() => client.send(sending), policy);
      if ('error' in outcome) throw outcome.error;
      return decode(outcome.value);
    } catch (error) {
      throw error instanceof AgentError ? apiError(error) : error;
    }
  }

  const decode = (answer: Answer) => decodeSandbox(answer, client.redact);
  const pathOf = (id: string) => `/sandboxes/${encodeURIComponent(id)}`;
  return {
    create: ({ template, lifetime, metadata, env }) => {
      // Without `secure`, the service returns no token.
      const body = {
        templateID: template,
        timeout: lifetime,
        secure: true,
        metadata,
        envVars: env,
      };
      const isRepeatable = hadNoEffect;
      return send({ method: 'POST', path: '/sandboxes', body, isRepeatable }, decode);
    },
    connect: async (id, lifetime) => {
      const body = { timeout: lifetime };
      const sandbox = await send({ method: 'POST', path: `${pathOf(id)}/connect`, body }, decode);
      return { ...sandbox, id };
    },
    remove: id =>
      send(
        { method: 'DELETE', path: pathOf(id), statuses: [200, 204, 404] },
        ({ status }) => status !== 404,
      ),
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
  // Each attempt iterates anew.
  return { headers, body: { [Symbol.asyncIterator]: () => once(bytes) } };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** @throws AgentError unless the answer names a sandbox */
function decodeSandbox(answer: Answer, redact: Redact): Sandbox {
  const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
  // With the API key in it, an ID or a domain would carry the key into outputs and logs.
  const isClean = (text: string) => redact(text) === text;
  if (typeof id !== 'string' || !/^(?=.*\w)[\x21-\x7e]{1,200}$/.test(id) || !isClean(id))
    throw badAnswer(answer, 'it names no sandbox');
  const hasToken = typeof token === 'string' && token !== '' && isHeaderValue(token);
  const hasDomain = typeof domain === 'string' && /^[\w.-]+$/.test(domain) && isClean(domain);
  return { id, token: hasToken ? token : undefined, domain: hasDomain ? domain : undefined };
}
