import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsKeys } from './options.ts';

/** A server without time limits. */
export interface OpenServer {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: () => number;
  /** Resets the connection below a socket, which may be one of TLS. */
  readonly reset: (socket: Socket) => void;
  /** Stops listening and closes all connections. */
  readonly close: () => void;
}

// No time limit on requests, so that stalls last, and no Keep-Alive hint in answers.
const TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/** Listens on 127.0.0.1. */
export async function openServer(
  { tls, listenPort = 0 }: { readonly tls?: TlsKeys | undefined; readonly listenPort?: number },
  listener: RequestListener,
): Promise<OpenServer> {
  const server = tls
    ? createHttpsServer({ ...tls, ...TIMEOUTS }, listener)
    : createHttpServer(TIMEOUTS, listener);
  const sockets = new Map<number | undefined, Socket>();
  let connections = 0;
  server.on('clientError', answerBrokenRequest);
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort;
    connections += 1;
    sockets.set(port, socket);
    socket.once('close', () => sockets.get(port) === socket && sockets.delete(port));
  });
  server.listen(listenPort, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listenPort;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections: () => connections,
    reset: socket => void sockets.get(socket.remotePort)?.resetAndDestroy(),
    close() {
      server.close();
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

// A client that ends its side within a body can still be told that the body was cut off.
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isCutOff = error.code === 'HPE_INVALID_EOF_STATE';
  const status = isCutOff ? '500 Internal Server Error' : '400 Bad Request';
  const answer = `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  if (socket.writable) socket.end(answer);
  else socket.destroy();
}
