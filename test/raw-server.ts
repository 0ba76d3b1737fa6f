import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Keys } from './keys.ts';

/** A server on a free local port that sends exactly what its script says. */
export interface RawServer extends AsyncDisposable {
  /** Address and port. */
  readonly host: string;
  readonly connections: readonly Socket[];
  /** Resolves once so many connections have been made. */
  readonly connected: (count: number) => Promise<void>;
}

/** What a server does with each connection. */
export type Script = (socket: Socket) => void;

/** Starts a server; with keys, it speaks TLS and offers HTTP/2 first. */
export async function rawServer(script: Script, keys?: Keys): Promise<RawServer> {
  const server =
    keys === undefined
      ? createServer()
      : createTlsServer({ ...keys, ALPNProtocols: ['h2', 'http/1.1'] });
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => connections.push(socket.on('error', () => {})));
  server.on(keys === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    script(socket.on('error', () => {})),
  );
  const port = await listenHere(server);
  return {
    host: `127.0.0.1:${port}`,
    connections,
    async connected(count) {
      while (connections.length < count) await once(server, 'connection');
    },
    async [Symbol.asyncDispose]() {
      const isClosed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await isClosed;
    },
  };
}

/** Starts listening on any free port of this machine, and returns it. */
export async function listenHere(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}

export function http(status: number, body = '', headers: readonly string[] = []): string {
  const head = [`HTTP/1.1 ${status} Status`, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export interface RawRequest {
  readonly head: string;
  readonly body: Buffer;
  /** From 1, of this connection. */
  readonly count: number;
}

/** Calls `say` for each request, once all of it has arrived. */
export function onRequest(say: (socket: Socket, request: RawRequest) => void): Script {
  return socket => {
    let unread: Buffer<ArrayBufferLike> = Buffer.alloc(0);
    let count = 0;
    socket.on('data', (data: Buffer) => {
      unread = Buffer.concat([unread, data]);
      for (;;) {
        const start = unread.indexOf('\r\n\r\n') + 4;
        if (start < 4) return;
        const head = unread.subarray(0, start).toString('latin1');
        const end = start + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        if (unread.length < end) return;
        const body = unread.subarray(start, end);
        unread = unread.subarray(end);
        count += 1;
        say(socket, { head, body, count });
      }
    });
  };
}

export function answering(bytes: string): Script {
  return onRequest(socket => void socket.write(bytes));
}

/** Answers with these bytes at once, then sends others every 10 ms as long as somebody listens. */
export function dripping(bytes: string, drop: string): Script {
  return onRequest(socket => {
    socket.write(bytes);
    const timer = setInterval(() => socket.write(drop), 10);
    socket.on('close', () => clearInterval(timer));
  });
}

/** Calls `say` after the head of the first request, and reads no more. */
export function afterHead(say: Script): Script {
  return socket => {
    let read = '';
    const onData = (data: Buffer) => {
      read += data.toString('latin1');
      if (!read.includes('\r\n\r\n')) return;
      socket.off('data', onData).pause();
      say(socket);
    };
    socket.on('data', onData);
  };
}

/** Takes connections, and neither reads nor answers. */
export const silent: Script = socket => void socket.pause();

/** Resets each connection on the first bytes that arrive. */
export const resetting: Script = socket => void socket.once('data', () => socket.resetAndDestroy());

/** Resolves when the other side has closed the connection in any way. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.resume().closed) await once(socket, 'close');
}
