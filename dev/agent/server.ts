import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TlsKeys } from './options.ts';

/** A server without time limits. */
export interface OpenServer {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: () => number;
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
  let connections = 0;
  server.on('clientError', answerBrokenRequest);
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(listenPort, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listenPort;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections: () => connections,
    close() {
      server.close();
      server.closeAllConnections();
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
