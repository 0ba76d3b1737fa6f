import { setImmediate } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import type { Redact } from '../text/escape.ts';
import { AgentError, type Hints, networkError } from './failure.ts';
import {
  type AgentResponse,
  openDispatcher,
  proxyVariables,
  readResponse,
  type StreamedResponse,
  sendRequest,
  statusError,
} from './http.ts';

export const USER_AGENT = `sandbox-sync/${packageJson.version}`;

export interface Client extends AsyncDisposable {
  /** @throws AgentError unless a whole response with an accepted status arrives in time */
  readonly send: (request: AgentRequest) => Promise<AgentResponse>;
  /** Passes the response to `read` while it arrives, and throws what `read` throws. */
  readonly receive: <T>(
    request: AgentRequest,
    read: (response: StreamedResponse) => Promise<T>,
  ) => Promise<T>;
  readonly redact: Redact;
}

/** Bytes that the next chunk may overwrite: use them at once, and copy what must last. */
export type BorrowedBuffer = Buffer;

export interface RequestLimits {
  readonly signal: AbortSignal;
  /** In milliseconds. Each chunk that is sent, or that `receive` passes on, restarts it. */
  readonly timeout: number;
}

export interface AgentRequest extends RequestLimits {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<BorrowedBuffer>;
  /** Receives the size of each chunk once the socket has taken it. */
  readonly onSent?: (bytes: number) => void;
  readonly hints?: Hints;
}

export function postJson(path: string, message: object, limits: RequestLimits): AgentRequest {
  const bytes = Buffer.from(JSON.stringify(message));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(bytes.length) };
  return { ...limits, method: 'POST', path, headers, body: [bytes] };
}

interface Address {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long a connection may take to open, in milliseconds. */
  readonly timeout: number;
}

interface AgentAddress extends Address {
  readonly token: string;
  readonly sandboxId: string;
  readonly port: number;
  readonly headerPrefix: string;
}

export function openAgent(address: AgentAddress, redacting: Pick<Client, 'redact'>): Client {
  const { token, sandboxId, port, headerPrefix } = address;
  const headers = {
    ...address.headers,
    'X-Access-Token': token,
    [`${headerPrefix}-Sandbox-Id`]: sandboxId,
    [`${headerPrefix}-Sandbox-Port`]: String(port),
  };
  return openClient({ ...address, headers }, redacting);
}

/** @throws AgentError if the URL of a proxy is invalid */
export function openClient(address: Address, { redact }: Pick<Client, 'redact'>): Client {
  const dispatcher = openDispatcher(address.baseUrl, address.timeout);
  const service = { ...address, redact, dispatcher };
  return {
    send: request => exchange(request, service, readResponse),
    receive: (request, read) =>
      exchange(request, service, (response, idle) =>
        read({ ...response, body: restartOnChunk(response.body, idle) }),
      ),
    redact,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

interface Service extends Address, Pick<Client, 'redact'> {
  readonly dispatcher: ReturnType<typeof openDispatcher>;
}

const OWN_HEADERS = { Accept: 'application/json', 'User-Agent': USER_AGENT };

const SUCCESS = [200, 201, 204];

async function exchange<T>(
  request: AgentRequest,
  service: Service,
  read: (response: StreamedResponse, idle: IdleTimeout) => Promise<T>,
): Promise<T> {
  const { method, path, headers, body, onSent, hints } = request;
  const { baseUrl, dispatcher, redact } = service;
  const label = `${method} ${baseUrl}${path.replace(/\?.*/s, '')}`;
  const timeoutMessage = `${label} failed: the response did not end within timeout.`;
  const idle = idleTimeout(request.timeout, timeoutMessage);
  let isSent = body === undefined;
  async function* sendBody(chunks: Iterable<BorrowedBuffer>): AsyncGenerator<Buffer> {
    yield* restartOnChunk(chunks, idle, onSent);
    isSent = true;
  }
  const cancelMessage = `${label} was cancelled.`;
  if (request.signal.aborted)
    throw new AgentError('cancelled', cancelMessage, { hadNoEffect: true });
  const onCancel = () => idle.end(new AgentError('cancelled', cancelMessage));
  request.signal.addEventListener('abort', onCancel, { signal: idle.signal });
  try {
    idle.restart();
    const response = await sendRequest(label, `${baseUrl}${path}`, body && sendBody(body), {
      method,
      headers: { ...service.headers, ...OWN_HEADERS, ...headers },
      signal: idle.signal,
      dispatcher,
    });
    // If the request ended just now, `read` must not begin: it may create files.
    idle.signal.throwIfAborted();
    if (!SUCCESS.includes(response.status))
      throw statusError(await readResponse(response), redact, Date.now(), hints);
    const result = await read(response, idle);
    if (isSent) return result;
    const earlyMessage = `${label} answered ${response.status} before everything was sent.`;
    throw new AgentError('connection', earlyMessage);
  } catch (error) {
    throw networkError(error, label, redact, proxyVariables(baseUrl));
  } finally {
    // Abort the request: a response that was not read to its end would keep the connection open.
    idle.end();
    // Wait until undici frees the connection, or the next request would open another.
    await setImmediate();
  }
}

type IdleTimeout = ReturnType<typeof idleTimeout>;

/** Aborts `signal` on `end`, or `ms` milliseconds after the last `restart`. */
function idleTimeout(ms: number, timeoutMessage: string) {
  const aborter = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (error?: AgentError) => {
    clearTimeout(timer);
    aborter.abort(error);
  };
  const restart = () => {
    // Not timer.refresh(), which Node's mock timers ignore.
    clearTimeout(timer);
    timer = setTimeout(() => end(new AgentError('connection', timeoutMessage)), ms);
  };
  return { signal: aborter.signal, end, restart };
}

async function* restartOnChunk(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  { signal, restart }: IdleTimeout,
  onTaken?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    // undici only asks for more once the socket has taken a chunk.
    yield chunk;
    // After the end, undici may ask for more chunks, which must not restart the timer.
    if (signal.aborted) return;
    restart();
    onTaken?.(chunk.length);
  }
}
