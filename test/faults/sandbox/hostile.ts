import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Keys } from '../../../dev/agent/keys.ts';
import { METRICS } from '../../action/world.ts';
import { closeWith, listenHere } from '../../listening.ts';

/** A request as received so far. */
export interface Received {
  readonly operation: 'upload' | 'stats';
  /** The request line. */
  readonly line: string;
  /** The header lines. */
  readonly headers: readonly string[];
  /** The last part of an upload's target. */
  readonly name: string;
  readonly body: Buffer;
}

export type Say = (socket: Socket, request: Received) => void;

/**
 * What to send, and when: after the headers, after the first bytes of the body, or after the whole
 * request.
 */
export interface Talk {
  readonly at?: 'headers' | 'body' | 'end';
  readonly say: Say;
}

export interface HostileOptions {
  readonly upload?: Talk;
  /** Talks for certain files, by the last part of their targets. */
  readonly uploads?: Readonly<Record<string, Talk>>;
  readonly stats?: Talk;
  /** Sent on every new connection instead. */
  readonly connected?: (socket: Socket) => void;
  /** Speaks TLS. */
  readonly keys?: Keys;
}

/** A raw socket server that sends whatever it is told. Without orders, it is a good agent. */
export interface Hostile extends AsyncDisposable {
  readonly url: string;
  readonly connections: () => number;
  readonly requests: readonly Received[];
}

export async function openHostile(options: HostileOptions = {}): Promise<Hostile> {
  const { keys, connected } = options;
  const sockets: Socket[] = [];
  const requests: Received[] = [];
  const server =
    keys === undefined ? createServer() : createTlsServer({ key: keys.key, cert: keys.cert });
  server.on('connection', (socket: Socket) => void sockets.push(socket.on('error', () => {})));
  server.on(keys === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    socket.on('error', () => {});
    if (connected === undefined) listenTo(socket, options, requests);
    else connected(socket);
  });
  const port = await listenHere(server);
  return {
    url: `${keys === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    connections: () => sockets.length,
    requests,
    [Symbol.asyncDispose]: () => closeWith(server, sockets),
  };
}

function listenTo(socket: Socket, options: HostileOptions, requests: Received[]): void {
  let unread: Buffer = Buffer.alloc(0);
  let said = false;
  socket.on('data', (data: Buffer) => {
    unread = Buffer.concat([unread, data]);
    const end = unread.indexOf('\r\n\r\n') + 4;
    if (end < 4) return;
    const request = received(unread.toString('latin1', 0, end - 4), unread.subarray(end));
    const { at = 'end', say } =
      options.uploads?.[request.name] ?? options[request.operation] ?? GOOD[request.operation];
    const length = Number(
      /\ncontent-length: (\d+)/i.exec(unread.toString('latin1', 0, end))?.[1] ?? 0,
    );
    const isWhole = request.body.length >= length;
    const isDue = at === 'headers' || isWhole || (at === 'body' && request.body.length > 0);
    if (isDue && !said) say(socket, request);
    said ||= isDue;
    if (!isWhole) return;
    requests.push(request);
    [unread, said] = [unread.subarray(end + length), false];
  });
}

function received(head: string, body: Buffer): Received {
  const [line = '', ...headers] = head.split('\r\n');
  const query = new URLSearchParams(/\?(\S*)/.exec(line)?.[1] ?? '');
  const name = (query.get('path') ?? '').replace(/^.*\//s, '');
  return { operation: line.startsWith('POST') ? 'upload' : 'stats', line, headers, name, body };
}

/** A complete answer. */
export function answer(
  status: number,
  body: string | Buffer | ((request: Received) => string),
  headers: readonly string[] = [],
): Talk {
  return {
    say(socket, request) {
      const content = Buffer.from(typeof body === 'function' ? body(request) : body);
      socket.write(head(status, [...headers, `Content-Length: ${content.length}`]));
      socket.write(content);
    },
  };
}

/** The beginning of an answer. */
export function head(status: number, headers: readonly string[] = []): string {
  return `${[`HTTP/1.1 ${status} Whatever`, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Repeats a piece as long as the client reads it. */
export function endlessly(piece: string | Buffer, first = ''): Talk {
  return {
    say(socket) {
      socket.write(first);
      const pour = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', pour);
      pour();
    },
  };
}

/** Sends `first`, then `piece` at intervals. */
export function slowly(first: string, piece: string, intervalMs: number): Talk {
  return {
    say(socket) {
      socket.write(first);
      const timer = setInterval(() => socket.write(piece), intervalMs);
      socket.on('close', () => clearInterval(timer));
    },
  };
}

export function entryOf(name: string, more: object = {}): string {
  return JSON.stringify({ path: `/home/user/${name}`, name, type: 'file', ...more });
}

const GOOD: Readonly<Record<Received['operation'], Talk>> = {
  upload: answer(200, ({ name }) => entryOf(name)),
  stats: answer(200, JSON.stringify(METRICS)),
};
