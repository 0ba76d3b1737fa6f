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
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<Buffer>;
  /** Called with the bytes of each chunk that the network has taken. */
  readonly onSent?: (bytes: number) => void;
  /** The statuses of success. Default 200 and 201. */
  readonly statuses?: readonly number[];
  /** Default `MAX_ANSWER_BYTES`. */
  readonly maxAnswerBytes?: number;
}

const SUCCESS: readonly number[] = [200, 201];

// The contract's answers have some hundred bytes.
export const MAX_ANSWER_BYTES = 128 * 1024;

/** Sends requests to one service, one attempt each. */
export interface Client {
  /** @throws AgentError for any other answer than one of success */
  readonly send: (request: AgentRequest) => Promise<Answer>;
  /** Ends what is in flight, and closes every connection. */
  readonly close: () => Promise<void>;
}

export interface ClientOptions {
  /** Ends every request at once. */
  readonly cancel: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Applied to what the service says before it is cut. */
  readonly redact: Redact;
}

/** Where a client sends its requests, and what each of them carries. */
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

/** Opens a client of a sandbox's agent. @throws InputError for an unusable proxy variable */
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

/** Opens a client of any service. @throws InputError for an unusable proxy variable */
export function openServiceClient(service: Service, options: ClientOptions): Client {
  const { cancel, now, redact } = options;
  const dispatcher = openDispatcher(service);
  // Not by a request's own signal, which undici does not hear while it waits for a connection.
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

/** The secrets of the proxy variables: passwords, or user names without one, also decoded. */
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
  // Plain options, so that connections share a connector and resume each other's TLS sessions.
  // With HTTP/2, one GOAWAY would break every upload in flight.
  const options = { allowH2: false, connectTimeout: Math.min(timeout, MAX_CONNECT_MS) };
  const { protocol, hostname } = new URL(baseUrl);
  // A proxy would get the token in clear, and could not reach this machine anyway.
  if (protocol === 'http:' && isLoopback(hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // The values are not repeated: they may hold a password.
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
 * Sends a request and reads its answer. Each chunk that the network takes restarts the idle clock;
 * once all is sent, the whole answer must arrive within the timeout.
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
    // undici offers the connection again only in the next turn of the event loop.
    await setImmediate();
    return answer;
  } catch (error) {
    // undici reports what a body throws as a failed connection.
    throw sending.thrown ?? (clock.signal.aborted ? stalled(label, sending) : error);
  } finally {
    clock.stop();
    sending.isOver = true;
  }
}

/** Sends a request and waits for its whole answer, however long that takes. */
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
    // undici's own limits, 300 s each, would cut a longer timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return readAnswer(response, label, maxAnswerBytes);
}

interface Sending {
  /** True once the network has taken the last chunk. */
  isSent: boolean;
  /** True once the request has ended: undici may go on asking for chunks. */
  isOver: boolean;
  thrown: unknown;
}

/** Passes chunks on. When the next one is asked for, the network has taken the one before. */
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

/** A clock that rejects `ranOut`, and aborts `signal`, so many milliseconds after its last restart. */
function startIdleClock(ms: number) {
  const { promise: ranOut, reject } = Promise.withResolvers<never>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined = setTimeout(() => {
    timer = undefined;
    ending.abort();
    reject(ending.signal.reason);
  }, ms);
  return {
    ranOut,
    signal: ending.signal,
    // refresh() would revive a timer that was cleared, so `stop` drops it.
    restart: () => void timer?.refresh(),
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
