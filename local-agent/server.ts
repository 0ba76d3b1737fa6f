import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';

/** Private key and certificate as PEM texts. */
export interface TlsKeys {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

// No time limit on a request, so that stalls last; and no hint in answers how long an idle connection lives.
const TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/** Creates an HTTP server, or an HTTPS one if there are keys. */
export function createServer(tls: TlsKeys | undefined, listener: RequestListener): Server {
  const server = tls
    ? createHttpsServer({ ...tls, ...TIMEOUTS }, listener)
    : createHttpServer(TIMEOUTS, listener);
  server.on('clientError', answerBrokenRequest);
  return server;
}

/** Starts listening and returns the URL of the server, without a trailing slash. */
export async function listen(
  server: Server,
  { host, listenPort, tls }: { host: string; listenPort: number; tls?: TlsKeys },
): Promise<string> {
  server.listen(listenPort, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listenPort;
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

// A client that ends its side within a body can still be told that the body is cut off.
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status = error.code === 'HPE_INVALID_EOF_STATE' ? '500 Internal Server Error' : '400 Bad Request';
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  else socket.destroy();
}
