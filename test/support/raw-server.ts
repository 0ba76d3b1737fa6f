import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listenHere } from '../../dev/agent/service.ts';
import type { TlsCertificate } from './tls-certificate.ts';

export type ConnectionHandler = (socket: Socket) => void;

/**
 * Starts a TCP server on a free local port whose connections are handled by a function. With keys, it
 * uses TLS and prefers HTTP/2.
 */
export async function rawServer(handle: ConnectionHandler, keys?: TlsCertificate) {
  const server =
    keys === undefined
      ? createServer()
      : createTlsServer({ ...keys, ALPNProtocols: ['h2', 'http/1.1'] });
  const connections: Socket[] = [];
  server.on('connection', (socket: Socket) => connections.push(socket.on('error', () => {})));
  server.on(keys === undefined ? 'connection' : 'secureConnection', (socket: Socket) =>
    handle(socket.on('error', () => {})),
  );
  const port = await listenHere(server);
  return {
    /** Address and port, such as `127.0.0.1:8080`. */
    host: `127.0.0.1:${port}`,
    connections,
    /** Resolves once `count` connections have been made. */
    async connected(count: number) {
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

export function http(status: number, body = '', headers: readonly string[] = []): string {
  const head = [`HTTP/1.1 ${status} Status`, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

export interface RawRequest {
  readonly head: string;
  readonly body: Buffer;
}

export type RequestHandler = (socket: Socket, request: RawRequest) => void;

/** Calls `handle` for each request once it has arrived completely. */
export function onRequest(handle: RequestHandler): ConnectionHandler {
  return socket => {
    let unread: Buffer<ArrayBufferLike> = Buffer.alloc(0);
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
        handle(socket, { head, body });
      }
    });
  };
}

export function answering(bytes: string): ConnectionHandler {
  return onRequest(socket => void socket.write(bytes));
}

/** Answers with `bytes`, then sends `drop` every 10 ms until the client disconnects. */
export function dripping(bytes: string, drop: string): ConnectionHandler {
  return onRequest(socket => {
    socket.write(bytes);
    const timer = setInterval(() => socket.write(drop), 10);
    socket.on('close', () => clearInterval(timer));
  });
}

/** Stops reading after the headers of the first request, and calls `handle`. */
export function afterHead(handle: ConnectionHandler): ConnectionHandler {
  return socket => {
    let read = '';
    const onData = (data: Buffer) => {
      read += data.toString('latin1');
      if (!read.includes('\r\n\r\n')) return;
      socket.off('data', onData).pause();
      handle(socket);
    };
    socket.on('data', onData);
  };
}

/** Discards unread data, and resolves once the connection is closed or reset. */
export async function closed(socket: Socket): Promise<void> {
  if (!socket.resume().closed) await once(socket, 'close');
}
