import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { buffer } from 'node:stream/consumers';

/** How requests reach a sandbox, in the words of the action's inputs. */
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
  /** Appended to the base URL, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Sends the body, instead of all at once. */
  readonly sendBody?: (request: http.ClientRequest, body: Buffer) => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The beginning of the body. */
  readonly text: string;
  /** True if the connection had served a request before. */
  readonly isReused: boolean;
}

export interface Service {
  readonly connection: Connection;
  readonly send: (request: Request) => Promise<Answer>;
  /** Resolves when the head of the answer has arrived. */
  readonly open: (request: Request) => Promise<http.IncomingMessage>;
}

const IDLE_MS = 30_000;

// The agent's default port in the sandbox.
const PORT = '49983';

export function openService(connection: Connection): Service {
  const { baseUrl, token, sandboxId, headerPrefix } = connection;
  const base = baseUrl.replaceAll('{sandbox-id}', sandboxId).replaceAll('{port}', PORT);
  const { Agent, request } = base.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true });
  const common = {
    ...connection.headers,
    Accept: 'application/json',
    'X-Access-Token': token,
    [`${headerPrefix}-Sandbox-Id`]: sandboxId,
    [`${headerPrefix}-Sandbox-Port`]: PORT,
  };

  async function exchange({ method, path, headers, body, sendBody }: Request) {
    const length = body === undefined ? {} : { 'Content-Length': body.length };
    const sent = request(base.replace(/\/$/, '') + path, {
      method,
      agent,
      timeout: IDLE_MS,
      headers: { ...common, ...length, ...headers },
    });
    sent.on('timeout', () => sent.destroy(new Error(`no progress within ${IDLE_MS / 1000} s`)));
    const responding = once(sent, 'response');
    // An error after the answer has begun, such as EPIPE, is of no interest.
    sent.on('error', () => {});
    if (sendBody === undefined || body === undefined) sent.end(body);
    else await Promise.race([sendBody(sent, body), responding]);
    const [response]: http.IncomingMessage[] = await responding;
    if (response === undefined) throw new Error('no answer');
    return { response, isReused: sent.reusedSocket };
  }

  return {
    connection,
    open: async asked => (await exchange(asked)).response,
    async send(asked) {
      const { response, isReused } = await exchange(asked);
      const { statusCode: status = 0, headers } = response;
      const body = await buffer(response);
      const text = body.toString('utf8', 0, 500).trim();
      return { status, headers, body, text, isReused };
    },
  };
}

/** Decodes JSON. Returns undefined if it is broken. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a field of decoded JSON, however deep, or undefined. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
    value,
  );
}
