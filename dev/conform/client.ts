import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';

/** Named after the action's inputs. */
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
  readonly body?: Buffer | Readable;
}

export type Client = ReturnType<typeof openClient>;

export type Answer = Awaited<ReturnType<Client['send']>>;

const AGENT_PORT = '49983';

export function openClient(connection: Connection) {
  const { baseUrl, token, sandboxId, headerPrefix } = connection;
  const base = baseUrl.replaceAll('{sandbox-id}', sandboxId).replaceAll('{port}', AGENT_PORT);
  // Use HTTP/1.1, as the actions do.
  const dispatcher = new Agent({ allowH2: false, headersTimeout: 30_000, bodyTimeout: 30_000 });
  const common = {
    ...connection.headers,
    Accept: 'application/json',
    'X-Access-Token': token,
    [`${headerPrefix}-Sandbox-Id`]: sandboxId,
    [`${headerPrefix}-Sandbox-Port`]: AGENT_PORT,
  };

  /** Resolves once the headers of the answer have arrived. */
  async function open({ path, headers, ...more }: Request) {
    const options = { ...more, headers: { ...common, ...headers }, dispatcher };
    return await request(base.replace(/\/$/, '') + path, options);
  }

  async function send(sent: Request) {
    const { statusCode: status, headers, body: content } = await open(sent);
    const body = Buffer.from(await content.arrayBuffer());
    /** The first 500 bytes of the body. */
    const text = body.toString('utf8', 0, 500).trim();
    return { status, headers, body, text };
  }

  return { connection, open, send };
}

/** Returns a nested field of decoded JSON, or undefined if any level is missing. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
    value,
  );
}
