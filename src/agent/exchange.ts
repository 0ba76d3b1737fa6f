import { setImmediate } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from 'undici';
import { isLoopback } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import { readAnswer, type StreamedAnswer, statusFailure } from './answer.ts';
import type { AgentRequest, BorrowedBuffer, Transport } from './client.ts';
import { AgentError } from './failure.ts';

export type ReadAnswer<T> = (answer: StreamedAnswer, clock: IdleClock) => Promise<T>;

const SUCCESS: readonly number[] = [200, 201, 204];

/**
 * Sends one request and reads its answer.
 * @throws AgentError for an unsuccessful answer, or if nothing moves within the service's timeout
 */
export async function exchange<T>(
  { method, path, headers, body, onSent, maxAnswerBytes, hints }: AgentRequest,
  label: string,
  { service, dispatcher, redact, now }: Transport,
  read: ReadAnswer<T>,
): Promise<T> {
  let isSent = body === undefined;
  const clock = startIdleClock(service.timeoutMs, () => stallError(label, isSent));
  async function* sending(chunks: Iterable<BorrowedBuffer>): AsyncGenerator<Buffer> {
    // undici only asks for the next chunk once the socket has taken this one.
    yield* watchChunks(chunks, clock, onSent);
    isSent = true;
  }
  const responding = sendRequest(`${service.baseUrl}${path}`, {
    dispatcher,
    method,
    headers: { ...service.headers, ...headers },
    // @ts-expect-error undici accepts async iterables as bodies, but its types do not
    body: body === undefined ? null : sending(body),
    signal: clock.signal,
    // undici's default limits of 300 s would cut longer timeouts short.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const receive = async (response: Dispatcher.ResponseData) => {
    const { statusCode: status, headers, body: chunks } = response;
    const answer = { label, status, headers, chunks };
    if (!SUCCESS.includes(status))
      throw statusFailure(await readAnswer(answer, maxAnswerBytes), redact, now(), hints);
    const result = await read(answer, clock);
    if (isSent) return result;
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
    // undici frees the connection an event loop turn later; until then, a request opens another.
    await setImmediate();
  }
}

function stallError(label: string, isSent: boolean): AgentError {
  const problem = isSent ? 'the answer did not end' : 'nothing more could be sent';
  return new AgentError('connection', `${label} failed: ${problem} within timeout.`);
}

type IdleClock = ReturnType<typeof startIdleClock>;

/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
function startIdleClock(ms: number, createError: () => AgentError) {
  const { promise: ranOut, reject } = Promise.withResolvers<never>();
  const aborter = new AbortController();
  const abort = () => aborter.abort();
  const expire = () => {
    reject(createError());
    abort();
  };
  // Not timer.refresh(), which Node's mock timers ignore.
  let timer = setTimeout(expire, ms);
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(expire, ms);
  };
  return { ranOut, signal: aborter.signal, abort, restart, stop };
}

/** Restarts the clock whenever a chunk has been taken. */
export async function* watchChunks(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  { signal, restart }: IdleClock,
  onTaken?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    // undici may ask for more chunks after the request has ended.
    if (signal.aborted) return;
    restart();
    onTaken?.(chunk.length);
  }
}

const MAX_CONNECT_MS = 10_000;

export function openDispatcher(baseUrl: string, timeoutMs: number): Dispatcher {
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

/** Returns the proxy that undici uses for a URL, unless NO_PROXY exempts it. */
export function proxyOf(url: string): URL | undefined {
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
