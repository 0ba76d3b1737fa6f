import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

/** Private key and certificate as PEM texts. */
export interface TlsKeys {
  readonly key: string;
  readonly cert: string;
}

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
  { tls, listenPort = 0 }: { readonly tls?: TlsKeys; readonly listenPort?: number },
  listener: RequestListener,
): Promise<OpenServer> {
  const server = tls
    ? createHttpsServer({ ...tls, ...TIMEOUTS }, listener)
    : createHttpServer(TIMEOUTS, listener);
  let connections = 0;
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
