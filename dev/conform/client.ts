import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** How to reach a sandbox. The fields are named after the action's inputs. */
export interface Connection {
  readonly baseUrl: string;
  readonly token: string;
  readonly sandboxId: string;
  readonly headerPrefix: string;
  readonly username: string | undefined;
  readonly uploadPath: string;
  readonly statsPath: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Request {
  readonly method: 'GET' | 'POST';
  /** Path and query, appended to the base URL. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Splits the body into the pieces to send. If it throws, the connection is closed. */
  readonly split?: (body: Buffer) => AsyncIterable<Buffer>;
}

export type Client = ReturnType<typeof openClient>;

export type Answer = Awaited<ReturnType<Client['send']>>;

const IDLE_MS = 30_000;

const AGENT_PORT = '49983';

export function openClient(connection: Connection) {
  const { baseUrl, token, sandboxId, headerPrefix } = connection;
  const base = baseUrl.replaceAll('{sandbox-id}', sandboxId).replaceAll('{port}', AGENT_PORT);
  const protocol = base.startsWith('https:') ? https : http;
  const agent = new protocol.Agent({ keepAlive: true });
  const common = {
    ...connection.headers,
    Accept: 'application/json',
    'X-Access-Token': token,
    [`${headerPrefix}-Sandbox-Id`]: sandboxId,
    [`${headerPrefix}-Sandbox-Port`]: AGENT_PORT,
  };

  /** Resolves once the headers of the answer have arrived. */
  async function open({ method, path, headers, body, split }: Request) {
    const length = body === undefined ? {} : { 'Content-Length': body.length };
    const sent = protocol.request(base.replace(/\/$/, '') + path, {
      method,
      agent,
      timeout: IDLE_MS,
      headers: { ...common, ...length, ...headers },
    });
    sent.on('timeout', () => sent.destroy(new Error(`no progress within ${IDLE_MS / 1000} s`)));
    const responding = once(sent, 'response');
    // Ignore errors such as EPIPE after the answer has begun. Earlier ones reject `responding`.
    sent.on('error', () => {});
    if (split && body) pipeline(split(body), sent, () => {});
    else sent.end(body);
    const [response]: http.IncomingMessage[] = await responding;
    if (response === undefined) throw new Error('no answer');
    return { response, isReused: sent.reusedSocket };
  }

  async function send(request: Request) {
    const { response, isReused } = await open(request);
    const { statusCode: status = 0, headers } = response;
    const body = await buffer(response);
    /** The first 500 bytes. */
    const text = body.toString('utf8', 0, 500).trim();
    return { status, headers, body, text, isReused };
  }

  return { connection, open, send };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a nested field of decoded JSON, or undefined if any level is missing. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
    value,
  );
}
