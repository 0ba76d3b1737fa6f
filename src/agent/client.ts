import { setImmediate } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from 'undici';
import packageJson from '../../package.json' with { type: 'json' };
import { isLoopback } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Connection } from '../inputs/inputs.ts';
import type { Redact } from '../text/redact.ts';
import { type Answer, type Response, readAnswer, statusFailure } from './answer.ts';
import type { BorrowedChunk } from './borrowed-chunk.ts';
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

export interface StreamedAnswer extends Pick<Answer, 'label'>, Pick<Response, 'headers'> {
  readonly chunks: AsyncIterable<Buffer>;
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
        send(request, transport, (response, label) =>
          readAnswer(response, label, request.maxAnswerBytes),
        ),
      receive: (request, read) =>
        send(request, transport, ({ headers, body }, label, onReceived) =>
          read({ label, headers, chunks: restartOnChunk(body, onReceived) }),
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
  read: ReadResponse<T>,
): Promise<T> {
  const { service, cancel, redact } = transport;
  const label = `${request.method} ${service.baseUrl}${request.path.replace(/\?.*/s, '')}`;
  if (cancel.aborted)
    throw new AgentError('cancelled', `${label} was cancelled.`, { isUnsent: true });
  try {
    return await exchange(request, label, transport, read);
  } catch (error) {
    if (cancel.aborted) throw new AgentError('cancelled', `${label} was cancelled.`);
    throw networkFailure(error, label, redact);
  }
}

/** Reads a successful response, and calls `onReceived` for whatever restarts the timeout. */
type ReadResponse<T> = (response: Response, label: string, onReceived: () => void) => Promise<T>;

async function exchange<T>(
  { method, path, headers, body, onSent, maxAnswerBytes, hints }: AgentRequest,
  label: string,
  { service, dispatcher, redact, now }: Transport,
  read: ReadResponse<T>,
): Promise<T> {
  const sending = { isSent: body === undefined, isOver: false };
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
  const receive = async (response: Response) => {
    const { statusCode: status } = response;
    if (!SUCCESS.includes(status))
      throw statusFailure(await readAnswer(response, label, maxAnswerBytes), redact, now(), hints);
    const result = await read(response, label, clock.restart);
    if (!sending.isSent) throw earlyAnswerError(label, status);
    return result;
  };
  try {
    return await Promise.race([clock.ranOut, responding.then(receive)]);
  } finally {
    clock.stop();
    sending.isOver = true;
    // undici frees the connection a turn later; until then, a new request would open another.
    await setImmediate();
  }
}

async function* restartOnChunk(
  chunks: AsyncIterable<Buffer>,
  restart: () => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    restart();
    yield chunk;
  }
}

interface Sending {
  isSent: boolean;
  isOver: boolean;
}

// undici asks for the next chunk once the socket has taken the previous one, so it may borrow them.
async function* trackSending(
  chunks: Iterable<BorrowedChunk>,
  sending: Sending,
  onTaken: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk.use(bytes => bytes);
    // undici may ask for more chunks after the request has ended.
    if (sending.isOver) return;
    onTaken(chunk.length);
  }
  sending.isSent = true;
}

/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
function startIdleClock(ms: number, createError: () => AgentError) {
  const { promise: ranOut, reject } = Promise.withResolvers<never>();
  const aborter = new AbortController();
  const expire = () => {
    reject(createError());
    aborter.abort();
  };
  let timer = setTimeout(expire, ms);
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(expire, ms);
  };
  return { ranOut, signal: aborter.signal, restart, stop };
}

function stallError(label: string, { isSent }: Sending): AgentError {
  const problem = isSent ? 'the answer did not end' : 'nothing more could be sent';
  return new AgentError('connection', `${label} failed: ${problem} within timeout.`);
}

function earlyAnswerError(label: string, status: number): AgentError {
  const message = `${label} answered ${status} before everything was sent.`;
  return new AgentError('connection', message);
}

const MAX_CONNECT_MS = 10_000;

function openDispatcher({ baseUrl, timeoutMs }: Service): Dispatcher {
  // With options instead of a connector, connections resume each other's TLS sessions. HTTP/2 is
  // off because one GOAWAY would break every upload in flight (nodejs/undici#5089 and #5468).
  const options = { allowH2: false, connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS) };
  const { protocol, hostname } = new URL(baseUrl);
  // A proxy would see the token unencrypted, and could not reach this runner's loopback anyway.
  if (protocol === 'http:' && isLoopback(hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    // Without the value, which may contain a password.
    const why = 'it or HTTP_PROXY is not the URL of an http, https or socks5 proxy.';
    throw inputError('HTTPS_PROXY', why, 'http://host:3128');
  }
}
