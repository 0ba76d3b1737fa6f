import { setImmediate } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from 'undici';
import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Connection } from '../inputs/inputs.ts';
import type { Redact } from '../text/redact.ts';
import { type Answer, readAnswer, type StreamedAnswer, statusFailure } from './answer.ts';
import { type BorrowedChunk, type SendStatus, trackSending } from './borrowed-chunk.ts';
import { AgentError, type Hints, networkFailure } from './failure.ts';
import { restartOnChunk, startIdleClock } from './idle-clock.ts';

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

export interface AgentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Appended to the base URL; may include a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<BorrowedChunk>;
  /** Receives the size of each chunk once the socket has taken it. */
  readonly onSent?: (bytes: number) => void;
  readonly maxAnswerBytes?: number;
  readonly hints?: Hints;
}

const SUCCESS: readonly number[] = [200, 201, 204];

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

export interface ClientOptions {
  readonly cancel: AbortSignal;
  readonly now: () => number;
  readonly redact: Redact;
}

/** Passes a client to `run` and closes it afterwards. @throws InputError for a bad proxy URL */
export async function withClient<T>(
  service: Service,
  options: ClientOptions,
  run: (client: Client) => Promise<T>,
): Promise<T> {
  const { cancel } = options;
  const dispatcher = openDispatcher(service);
  // A request's `signal` is not enough: undici ignores it while connecting (nodejs/undici#386).
  const destroy = () => void dispatcher.destroy();
  cancel.addEventListener('abort', destroy);
  const transport = { ...options, service, dispatcher };
  try {
    return await run({
      send: request =>
        send(request, transport, answer => readAnswer(answer, request.maxAnswerBytes)),
      receive: (request, read) =>
        send(request, transport, (answer, restart) =>
          read({ ...answer, chunks: restartOnChunk(answer.chunks, restart) }),
        ),
      redact: options.redact,
    });
  } finally {
    cancel.removeEventListener('abort', destroy);
    await dispatcher.destroy();
  }
}

interface Transport extends ClientOptions {
  readonly service: Service;
  readonly dispatcher: Dispatcher;
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

/** Reads a successful answer. Calling `restart` restarts the timeout. */
type ReadAnswer<T> = (answer: StreamedAnswer, restart: () => void) => Promise<T>;

async function exchange<T>(
  { method, path, headers, body, onSent, maxAnswerBytes, hints }: AgentRequest,
  label: string,
  { service, dispatcher, redact, now }: Transport,
  read: ReadAnswer<T>,
): Promise<T> {
  const sending: SendStatus = { isSent: body === undefined, isOver: false };
  const clock = startIdleClock(service.timeoutMs, () => stallError(label, sending));
  const onTaken = (bytes: number) => {
    clock.restart();
    onSent?.(bytes);
  };
  const commonHeaders = { Accept: 'application/json', 'User-Agent': USER_AGENT };
  const responding = sendRequest(`${service.baseUrl}${path}`, {
    dispatcher,
    method,
    headers: { ...service.headers, ...commonHeaders, ...headers },
    // @ts-expect-error undici accepts async iterables as bodies, but its types do not
    body: body === undefined ? null : trackSending(body, sending, onTaken),
    signal: clock.signal,
    // undici's default limits of 300 s would cut longer timeouts short.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const receive = async ({
    statusCode: status,
    headers,
    body: chunks,
  }: Dispatcher.ResponseData) => {
    const answer = { label, status, headers, chunks };
    if (!SUCCESS.includes(status))
      throw statusFailure(await readAnswer(answer, maxAnswerBytes), redact, now(), hints);
    const result = await read(answer, clock.restart);
    if (sending.isSent) return result;
    const message = `${label} answered ${status} before everything was sent.`;
    throw new AgentError('connection', message);
  };
  try {
    return await Promise.race([clock.ranOut, responding.then(receive)]);
  } catch (error) {
    // Abort, or a response that was rejected early would keep its connection open.
    clock.abort();
    throw error;
  } finally {
    clock.stop();
    sending.isOver = true;
    // undici frees the connection an event loop turn later; until then, a request opens another.
    await setImmediate();
  }
}

function stallError(label: string, { isSent }: SendStatus): AgentError {
  const problem = isSent ? 'the answer did not end' : 'nothing more could be sent';
  return new AgentError('connection', `${label} failed: ${problem} within timeout.`);
}

/** Returns the proxy that undici uses for a URL, unless NO_PROXY exempts it. */
function proxyOf(url: string): URL | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY = '' } = process.env;
  const { protocol, hostname } = new URL(url);
  const exempt = (no_proxy ?? NO_PROXY).split(/[\s,]+/).filter(name => name !== '');
  if (exempt.some(name => name === '*' || hostname.endsWith(name.replace(/^\*/, ''))))
    return undefined;
  if (protocol === 'http:' && isLoopback(hostname)) return undefined;
  const http = http_proxy ?? HTTP_PROXY;
  const https = (https_proxy ?? HTTPS_PROXY) || http;
  return URL.parse((protocol === 'https:' ? https : http) ?? '') ?? undefined;
}

const MAX_CONNECT_MS = 10_000;

function openDispatcher({ baseUrl, timeoutMs }: Service): Dispatcher {
  // Pass options instead of a connector, so that connections resume each other's TLS sessions.
  // HTTP/2 is off because one GOAWAY would break every upload in flight (nodejs/undici#5089 and
  // #5468).
  const options = { allowH2: false, connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS) };
  const { protocol, hostname } = new URL(baseUrl);
  // A proxy would see the token unencrypted, and could not reach this runner's loopback anyway.
  if (protocol === 'http:' && isLoopback(hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    const why = 'not the URL of an http, https or socks5 proxy.';
    throw inputError(proxyVariables().join(', '), why, 'http://host:3128');
  }
}

/** Returns the names of the variables that set a proxy. Their values may contain passwords. */
function proxyVariables(): string[] {
  // Windows ignores the case of variable names, so report the spelling that was set.
  const names = Object.keys(process.env).filter(name => /^https?_proxy$/i.test(name));
  return names.filter(name => process.env[name]).sort();
}
