import packageJson from '../../package.json' with { type: 'json' };
import type { Connection } from '../inputs/inputs.ts';
import type { Redact } from '../text/redact.ts';
import { type Answer, readAnswer, type StreamedAnswer } from './answer.ts';
import { exchange, openDispatcher, proxyOf, type ReadAnswer, watchChunks } from './exchange.ts';
import { AgentError, type Hints, networkFailure } from './failure.ts';

export const USER_AGENT = `sandbox-sync/${packageJson.version}`;

export interface Client {
  /** @throws AgentError unless the status is 200, 201 or 204 */
  readonly send: (request: AgentRequest) => Promise<Answer>;
  /**
   * Like `send`, but passes the answer to `read` while it arrives. Each chunk restarts the timeout.
   */
  readonly receive: <T>(
    request: AgentRequest,
    read: (answer: StreamedAnswer) => Promise<T>,
  ) => Promise<T>;
  /** Masks secrets in the decoded text of an answer. */
  readonly redact: Redact;
}

/** Bytes that the next chunk may overwrite: use them at once, and copy what must last. */
export type BorrowedBuffer = Buffer;

export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL; may include a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<BorrowedBuffer>;
  /** Receives the size of each chunk once the socket has taken it. */
  readonly onSent?: (bytes: number) => void;
  readonly maxAnswerBytes?: number;
  readonly hints?: Hints;
}

export interface Service {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export function agentService(connection: Connection): Service {
  const { baseUrl, timeout: timeoutMs, headers, token, sandboxId, port, headerPrefix } = connection;
  return {
    baseUrl,
    timeoutMs,
    headers: {
      ...headers,
      'X-Access-Token': token,
      [`${headerPrefix}-Sandbox-Id`]: sandboxId,
      [`${headerPrefix}-Sandbox-Port`]: String(port),
    },
  };
}

/** Returns a POST request with a JSON body. */
export function postJson(path: string, message: object): AgentRequest {
  const bytes = Buffer.from(JSON.stringify(message));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  return { method: 'POST', path, headers, body: [bytes] };
}

export interface ClientOptions {
  readonly cancel: AbortSignal;
  readonly now: () => number;
  readonly redact: Redact;
}

/** Opens a client, to be declared with `await using`. @throws InputError for a bad proxy URL */
export function openClient(service: Service, options: ClientOptions): Client & AsyncDisposable {
  const { cancel, redact } = options;
  const dispatcher = openDispatcher(service.baseUrl, service.timeoutMs);
  // A request's `signal` is not enough: undici ignores it while connecting (nodejs/undici#386).
  const destroy = () => void dispatcher.destroy();
  cancel.addEventListener('abort', destroy);
  const headers = { ...service.headers, Accept: 'application/json', 'User-Agent': USER_AGENT };
  const transport = { ...options, service: { ...service, headers }, dispatcher };
  return {
    send: request => send(request, transport, answer => readAnswer(answer, request.maxAnswerBytes)),
    receive: (request, read) =>
      send(request, transport, (answer, clock) =>
        read({ ...answer, chunks: watchChunks(answer.chunks, clock) }),
      ),
    redact,
    async [Symbol.asyncDispose]() {
      cancel.removeEventListener('abort', destroy);
      await dispatcher.destroy();
    },
  };
}

export interface Transport extends ClientOptions {
  readonly service: Service;
  readonly dispatcher: ReturnType<typeof openDispatcher>;
}

async function send<T>(
  request: AgentRequest,
  transport: Transport,
  read: ReadAnswer<T>,
): Promise<T> {
  const { service, cancel, redact } = transport;
  const label = `${request.method} ${service.baseUrl}${request.path.replace(/\?.*/s, '')}`;
  const cancelled = (isUnsent: boolean) =>
    new AgentError('cancelled', `${label} was cancelled.`, { isUnsent });
  if (cancel.aborted) throw cancelled(true);
  try {
    return await exchange(request, label, transport, read);
  } catch (error) {
    if (cancel.aborted) throw cancelled(false);
    throw networkFailure(error, label, redact, proxyOf(service.baseUrl));
  }
}
