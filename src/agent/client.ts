import { setImmediate } from 'node:timers/promises';
import {
  Agent,
  buildConnector,
  type Dispatcher,
  Pool,
  ProxyAgent,
  Socks5ProxyAgent,
  request as sendRequest,
} from 'undici';
import { routingHeaders, secretsInHeaders, USER_AGENT } from '../inputs/headers.ts';
import type { Connection } from '../inputs/inputs.ts';
import { type Redact, redactor } from '../text/redact.ts';
import { type Answer, readAnswer, statusFailure } from './answer.ts';
import { AgentError } from './failure.ts';
import { networkFailure } from './network-failure.ts';
import { type ProxyVariable, proxyCredentials, usableProxy } from './proxy.ts';

export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Buffer>;
  /** Called with the bytes of each chunk that the network has taken. */
  readonly onSent?: (bytes: number) => void;
  /** The statuses of success. Default 200 and 201. */
  readonly statuses?: readonly number[];
}

/** Sends requests to one service, one attempt each. */
export interface Client {
  /** @throws AgentError for any other answer than one of success */
  readonly send: (request: AgentRequest) => Promise<Answer>;
  /** Replaces the connections: after an unusable answer, one may still hold the rest of it. */
  readonly reconnect: () => void;
  readonly redact: Redact;
  /** Ends what is in flight, and closes every connection. */
  readonly close: () => Promise<void>;
}

export interface ClientOptions {
  /** Ends every request at once. */
  readonly cancel: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Where a client sends its requests, and what each of them carries. */
export interface Service {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Values to redact, besides headers whose names mark them as secret. */
  readonly secrets: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
}

/** Opens a client of a sandbox's agent. @throws InputError for an unusable proxy variable */
export function openClient(
  connection: Omit<Connection, 'statsPath' | 'allowInsecureHttp'> & { readonly signature?: string },
  options: ClientOptions,
): Client {
  const { baseUrl, token, signature = '', timeout } = connection;
  const headers = agentHeaders(connection);
  return openServiceClient({ baseUrl, headers, secrets: [token, signature], timeout }, options);
}

/** Opens a client of any service. @throws InputError for an unusable proxy variable */
export function openServiceClient(
  { baseUrl, headers, secrets, timeout: timeoutMs }: Service,
  { cancel, now }: ClientOptions,
): Client {
  const redact = redactorOf(headers, secrets);
  const proxy = usableProxy(baseUrl, process.env);
  const connections = openConnections(proxy, timeoutMs);
  const common = { ...headers, Accept: 'application/json', 'User-Agent': USER_AGENT };
  return {
    redact,
    async send(request) {
      const url = `${baseUrl}${request.path}`;
      const label = `${request.method} ${url.replace(/\?.*/s, '')}`;
      const all = { ...common, ...request.headers };
      const dispatcher = connections.current();
      try {
        const options = { ...request, url, label, headers: all, dispatcher, cancel, timeoutMs };
        const answer = await exchange(options);
        const { statuses = [200, 201] } = request;
        if (statuses.includes(answer.status)) return answer;
        throw statusFailure(answer, redact, now());
      } catch (error) {
        throw networkFailure(error, { label, url, proxy, redact });
      }
    },
    reconnect: () => connections.renew(),
    close: () => connections.close(),
  };
}

/** Redacts secrets, secret headers and the credentials of the proxy variables. */
export function redactorOf(headers: Service['headers'], secrets: Service['secrets']): Redact {
  const inHeaders = secretsInHeaders(Object.entries(headers));
  return redactor([...secrets, ...inHeaders, ...proxyCredentials(process.env)]);
}

function agentHeaders(
  connection: Pick<Connection, 'headers' | 'token' | 'headerPrefix' | 'sandboxId' | 'port'>,
): Record<string, string> {
  const { headers, token, headerPrefix, sandboxId, port } = connection;
  const routing = routingHeaders(headerPrefix);
  return {
    ...headers,
    'X-Access-Token': token,
    [routing.id]: sandboxId,
    [routing.port]: String(port),
  };
}

/** Keep-alive connections. `renew` opens new ones; requests in flight finish on the old. */
function openConnections(proxy: ProxyVariable | undefined, timeoutMs: number) {
  const closing = new AbortController();
  const open = () => openDispatcher(proxy, timeoutMs, closing.signal);
  let current = open();
  const opened = new Set([current]);
  return {
    current: () => current,
    renew() {
      const old = current;
      // A failure to close is that of a request, which reports it.
      const forget = () => opened.delete(old);
      old.close().then(forget, forget);
      current = open();
      opened.add(current);
    },
    async close() {
      const destroyed = [...opened].map(dispatcher => dispatcher.destroy());
      // destroy() does not end a connection that is still being made.
      closing.abort();
      await Promise.all(destroyed);
    },
  };
}

function openDispatcher(
  proxy: ProxyVariable | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Dispatcher {
  // Shorter than our own clock even if undici's timer is 0.5 s late, since its error says more.
  const timeout = Math.max(timeoutMs * 0.9 - 500, 1);
  // With HTTP/2, one GOAWAY breaks every upload in flight.
  const allowH2 = false;
  // One byte, so that undici asks for a chunk only once the system has taken the one before.
  const options = { timeout, allowH2, highWaterMark: 1 };
  const connect = connectorUntil(signal, options);
  // If only the connector knew, all requests would wait for the first connection's protocol.
  if (proxy === undefined) return new Agent({ connect, allowH2 });
  if (proxy.value.startsWith('socks'))
    return new Socks5ProxyAgent(proxy.value, {
      connect,
      connectTimeout: timeout,
      requestTls: options,
    });
  return new ProxyAgent({
    uri: proxy.value,
    allowH2,
    proxyTls: { ...options, signal },
    requestTls: options,
    // A CONNECT that the proxy never answers would keep its connection for 300 s.
    clientFactory: origin => new Pool(origin, { connect, allowH2, headersTimeout: timeout }),
  });
}

/** Makes connections, which end when the signal aborts. */
function connectorUntil(
  signal: AbortSignal,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  return (target, callback) => {
    // Node keeps a socket in memory as long as its signal, so each has a signal of its own.
    const own = new AbortController();
    const end = () => own.abort();
    const forget = () => signal.removeEventListener('abort', end);
    signal.addEventListener('abort', end);
    buildConnector({ ...options, signal: own.signal })(target, (...[error, socket]) => {
      if (error === null) callback(null, socket.once('close', forget));
      else {
        forget();
        callback(error, null);
      }
    });
  };
}

interface Exchange extends AgentRequest, Pick<ClientOptions, 'cancel'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly label: string;
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly timeoutMs: number;
}

/**
 * Each chunk that the network takes restarts the clock; once all is sent, the whole answer must
 * arrive within the timeout. That bounds silence, dripped bytes and endless 1xx responses alike.
 */
async function exchange(options: Exchange): Promise<Answer> {
  const { label, cancel, timeoutMs } = options;
  const { signal, ended, end } = openEnding();
  const clock = startClock(timeoutMs, () => end(stalled(label, body?.isSent() ?? true)));
  const body = options.body && watchBody(options.body, clock, options.onSent);
  const onCancel = () => end(new AgentError('cancelled', `${label} was cancelled.`));
  cancel.addEventListener('abort', onCancel);
  if (cancel.aborted) onCancel();
  try {
    // undici does not hear the signal while a request waits for a connection.
    const complete = await Promise.race([receive(options, body, signal), ended]);
    // undici offers the connection again only in the next turn of the event loop.
    await setImmediate();
    return complete;
  } catch (error) {
    // undici reports what a body throws as a failed connection.
    throw body?.thrown() ?? error;
  } finally {
    clock.stop();
    cancel.removeEventListener('abort', onCancel);
  }
}

/** Sends the request and waits for its whole answer, however long that takes. */
async function receive(
  { label, url, dispatcher, method, headers }: Exchange,
  body: ReturnType<typeof watchBody> | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await sendRequest(url, {
    dispatcher,
    method,
    headers,
    // @ts-expect-error undici's types leave out that a body may be an async iterable
    body: body?.chunks() ?? null,
    signal,
    // undici's own limits, 300 s each, would cut a longer timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A larger buffer lets undici close the connection when an answer ends while it still sends.
    highWaterMark: 1,
  });
  // Over TLS, Node says one turn of the event loop late that a chunk was taken.
  if (body?.isSent() === false) await setImmediate();
  const isEarly = body?.isSent() === false;
  return readAnswer(response, { label, isEarly });
}

/** Passes chunks on. When the next one is asked for, the network has taken the one before. */
function watchBody(body: AsyncIterable<Buffer>, clock: Clock, onSent?: (bytes: number) => void) {
  let isSent = false;
  let thrown: unknown;
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) {
        yield chunk;
        clock.restart();
        onSent?.(chunk.length);
      }
      isSent = true;
    } catch (error) {
      thrown = error;
      throw error;
    }
  }
  return { chunks, isSent: () => isSent, thrown: () => thrown };
}

interface Clock {
  readonly restart: () => void;
  readonly stop: () => void;
}

function startClock(timeoutMs: number, onTimeout: () => void): Clock {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    onTimeout();
  }, timeoutMs);
  return {
    restart() {
      // refresh() would start a timer that has fired, or was stopped, again.
      if (!isOver) timer.refresh();
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Ends a request early: a signal for undici, a promise for whoever waits. */
function openEnding() {
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (error: AgentError) => {
    controller.abort(error);
    reject(error);
  };
  return { signal: controller.signal, ended, end };
}

function stalled(label: string, isSent: boolean): AgentError {
  const what = isSent
    ? 'the response did not finish within timeout'
    : 'nothing more could be sent for longer than timeout';
  return new AgentError('stalled', `${label} failed: ${what}.`);
}
