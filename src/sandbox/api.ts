import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
import { openServiceClient } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type Retry, withRetries } from '../agent/retry.ts';
import { isHeaderValue } from '../inputs/headers.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import { fieldsOf } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import type { SandboxContext } from './context.ts';
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
  /** Retried only if the first request certainly had no effect. */
  readonly create: (sandbox: NewSandbox) => Promise<Sandbox>;
  /** Extends a sandbox's life to at least so many seconds from now. */
  readonly connect: (id: string, lifetime: number) => Promise<Sandbox>;
  /** False if there is no such sandbox any more. */
  readonly remove: (id: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}

interface ApiOptions {
  /** Redacted like the API key. */
  readonly secrets?: readonly string[];
  /** Ends the retries. */
  readonly stop: AbortSignal;
}

/** Opens the API. @throws InputError for an unusable proxy variable */
export function openApi(
  { apiUrl, apiKey, headers, retries, timeout }: Inputs<'sandbox-end'>,
  { secrets = [], stop }: ApiOptions,
  { lastCall, now, sleep, random, log }: SandboxContext,
): Api {
  const service = {
    baseUrl: apiUrl,
    headers: { ...headers, 'X-API-Key': apiKey },
    secrets: [apiKey, ...secrets],
    timeout,
  };
  const client = openServiceClient(service, { cancel: lastCall, now });
  const onRetry = ({ attempt, error, delayMs }: Retry) =>
    log(`Attempt ${attempt} failed, next in ${formatDuration(delayMs)}: ${error.message}`);
  const policy = { retries, sleep, random, stop, onRetry };

  async function send<T>(
    { body, isRepeatable = () => true, ...request }: ApiRequest,
    decode: (answer: Answer) => T,
  ): Promise<T> {
    const sending = { ...request, ...(body && jsonBody(body)) };
    try {
      const outcome = await withRetries(() => client.send(sending), { ...policy, isRepeatable });
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
      const settings = { templateID: template, timeout: lifetime, secure: true };
      const body = { ...settings, metadata, envVars: env };
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
  async function* iterate() {
    yield bytes;
  }
  return { headers, body: { [Symbol.asyncIterator]: iterate } };
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
