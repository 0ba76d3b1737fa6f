import { setImmediate } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from 'undici';
import { isLoopback, routingHeaders, USER_AGENT } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Connection } from '../inputs/inputs.ts';
import { isMaskable, type Redact } from '../text/redact.ts';
import { type Answer, readAnswer, statusFailure } from './answer.ts';
import { AgentError, networkFailure } from './failure.ts';

export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL; may include a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<Buffer>;
  /** Receives the size of each chunk once the network has taken it. */
  readonly onSent?: (bytes: number) => void;
  /** Default: 200 and 201. */
  readonly statuses?: readonly number[];
  readonly maxAnswerBytes?: number;
}

const SUCCESS: readonly number[] = [200, 201];

// Answers are a few hundred bytes.
export const MAX_ANSWER_BYTES = 128 * 1024;

export interface Client {
  /** @throws AgentError unless the status is one of `statuses` */
  readonly send: (request: AgentRequest) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export interface ClientOptions {
  readonly cancel: AbortSignal;
  readonly now: () => number;
  readonly redact: Redact;
}

export interface Service {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
}

type AgentConnection = Pick<
  Connection,
  'baseUrl' | 'headers' | 'headerPrefix' | 'port' | 'sandboxId' | 'timeout' | 'token'
>;

/** @throws InputError if a proxy variable is invalid */
export function openClient(connection: AgentConnection, options: ClientOptions): Client {
  const { baseUrl, headers, token, headerPrefix, sandboxId, port, timeout } = connection;
  const routing = routingHeaders(headerPrefix);
  const all = {
    ...headers,
    'X-Access-Token': token,
    [routing.id]: sandboxId,
    [routing.port]: String(port),
  };
  return openServiceClient({ baseUrl, headers: all, timeout }, options);
}

/** @throws InputError if a proxy variable is invalid */
export function openServiceClient(service: Service, options: ClientOptions): Client {
  const { cancel, now, redact } = options;
  const dispatcher = openDispatcher(service);
  // A request's `signal` is not enough: undici ignores it while waiting for a connection.
  const end = () => void dispatcher.destroy();
  cancel.addEventListener('abort', end);
  return {
    async send(request) {
      const label = `${request.method} ${service.baseUrl}${request.path.replace(/\?.*/s, '')}`;
      try {
        cancel.throwIfAborted();
        const answer = await exchange({ ...request, label, service, dispatcher });
        if ((request.statuses ?? SUCCESS).includes(answer.status)) return answer;
        throw statusFailure(answer, redact, now());
      } catch (error) {
        if (cancel.aborted) throw new AgentError('cancelled', `${label} was cancelled.`);
        throw networkFailure(error, label, redact);
      }
    },
    async close() {
      cancel.removeEventListener('abort', end);
      await dispatcher.destroy();
    },
  };
}

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];

export function proxyCredentials(env: NodeJS.ProcessEnv = process.env): string[] {
  return PROXY_VARIABLES.flatMap(name => URL.parse(env[name] ?? '') ?? [])
    .flatMap(({ username, password }) =>
      password === '' ? [username] : [password, `${username}:${password}`],
    )
    .flatMap(secret => [secret, decoded(secret)])
    .filter(isMaskable);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MAX_CONNECT_MS = 10_000;

function openDispatcher({ baseUrl, timeout }: Service): Dispatcher {
  // Plain options let connections share a connector and resume TLS sessions. HTTP/2 is off because
  // one GOAWAY would break every upload in flight.
  const options = { allowH2: false, connectTimeout: Math.min(timeout, MAX_CONNECT_MS) };
  const { protocol, hostname } = new URL(baseUrl);
  // A proxy would see the token unencrypted, and could not reach this machine anyway.
  if (protocol === 'http:' && isLoopback(hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // Name the variables but not their values, which may contain passwords.
    const names = PROXY_VARIABLES.filter(name => process.env[name]).join(', ');
    const why = 'not the URL of an http, https or socks5 proxy.';
    throw inputError(names, why, 'http://host:3128');
  }
}

interface Exchange extends AgentRequest {
  readonly label: string;
  readonly service: Service;
  readonly dispatcher: Dispatcher;
}

/**
 * Sends a request and reads its answer. Each chunk sent restarts the idle clock; after the last
 * one, the whole answer must arrive within the timeout.
 */
async function exchange(options: Exchange): Promise<Answer> {
  const { label, service, statuses = SUCCESS } = options;
  const clock = startIdleClock(service.timeout);
  const isSent = options.body === undefined;
  const sending: Sending = { isSent, isOver: false, thrown: undefined };
  const body = options.body && trackSending(options.body, sending, clock.restart, options.onSent);
  try {
    const answer = await Promise.race([clock.ranOut, receive(options, body, clock.signal)]);
    if (!sending.isSent && statuses.includes(answer.status)) {
      const message = `${label} answered ${answer.status} before everything was sent.`;
      throw new AgentError('connection', message);
    }
    // undici only reuses the connection in the next turn of the event loop.
    await setImmediate();
    return answer;
  } catch (error) {
    // undici reports an error thrown by the body as a connection failure.
    throw sending.thrown ?? (clock.signal.aborted ? stalled(label, sending) : error);
  } finally {
    clock.stop();
    sending.isOver = true;
  }
}

async function receive(
  {
    label,
    service,
    dispatcher,
    method,
    path,
    headers,
    maxAnswerBytes = MAX_ANSWER_BYTES,
  }: Exchange,
  body: AsyncIterable<Buffer> | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const always = { Accept: 'application/json', 'User-Agent': USER_AGENT };
  const response = await sendRequest(`${service.baseUrl}${path}`, {
    dispatcher,
    method,
    headers: { ...service.headers, ...always, ...headers },
    // @ts-expect-error undici's types leave out that a body may be an async iterable
    body: body ?? null,
    signal,
    // undici's default limits of 300 s would cut longer timeouts short.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return readAnswer(response, label, maxAnswerBytes);
}

interface Sending {
  isSent: boolean;
  /** undici may keep asking for chunks after the request has ended. */
  isOver: boolean;
  thrown: unknown;
}

// undici asks for the next chunk once the network has taken the last one.
async function* trackSending(
  chunks: Iterable<Buffer>,
  sending: Sending,
  restartClock: () => void,
  onSent: (bytes: number) => void = () => {},
): AsyncGenerator<Buffer> {
  try {
    for (const chunk of chunks) {
      yield chunk;
      if (sending.isOver) return;
      restartClock();
      onSent(chunk.length);
    }
    sending.isSent = true;
  } catch (error) {
    sending.thrown = error;
    throw error;
  }
}

function stalled(label: string, { isSent }: Sending): AgentError {
  const what = isSent ? 'the answer did not end' : 'nothing more could be sent';
  return new AgentError('connection', `${label} failed: ${what} within timeout.`);
}

/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
export function startIdleClock(ms: number) {
  const { promise: ranOut, reject } = Promise.withResolvers<never>();
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    reject(ending.signal.reason);
  };
  let timer = setTimeout(end, ms);
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(end, ms);
  };
  return { ranOut, signal: ending.signal, restart, stop };
}
