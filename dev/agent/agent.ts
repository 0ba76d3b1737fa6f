import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { createFaultQueue, type Fault } from './faults.ts';
import { type AgentOptions, type Settings, settingsOf, type TlsKeys } from './options.ts';
import { openService } from './service.ts';
import { createTrafficLog, type Traffic } from './traffic.ts';

/** A running agent. */
export interface LocalAgent extends Traffic, AsyncDisposable {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Appends rules after those in force. */
  readonly addFaults: (...faults: readonly Fault[]) => void;
  /** The rules that no request has matched so far. */
  readonly unmatchedFaults: () => Fault[];
  /** Closes all connections and waits until every request has ended. */
  readonly close: () => Promise<void>;
}

/** Starts an agent; it is ready when the promise resolves. */
export async function startAgent(options: AgentOptions): Promise<LocalAgent> {
  const settings = settingsOf(options);
  const traffic = createTrafficLog(settings.record);
  const faults = createFaultQueue(settings.faults);
  const closing = new AbortController();
  const service = openService(settings, { traffic, faults, closing: closing.signal });
  const server = createServer(settings.tls, service.serve);
  server.on('connection', traffic.connected);
  const url = await listen(server, settings);

  async function close(): Promise<void> {
    closing.abort();
    server.close();
    traffic.destroyConnections();
    await service.idle();
  }
  return {
    url,
    requests: traffic.requests,
    connections: traffic.connections,
    get maxInFlight() {
      return traffic.maxInFlight;
    },
    addFaults: (...added) => faults.add(added),
    unmatchedFaults: faults.unmatched,
    close,
    [Symbol.asyncDispose]: close,
  };
}

// No time limit on requests, so that stalls last, and no Keep-Alive hint in answers.
const TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/** A server without time limits. */
export function createServer(tls: TlsKeys | undefined, listener: RequestListener): Server {
  const server = tls
    ? createHttpsServer({ ...tls, ...TIMEOUTS }, listener)
    : createHttpServer(TIMEOUTS, listener);
  server.on('clientError', answerBrokenRequest);
  return server;
}

/** Starts listening. Returns the server's scheme, host and port. */
export async function listen(
  server: Server,
  {
    host,
    listenPort,
    tls,
  }: Pick<Settings, 'host' | 'listenPort'> & { readonly tls?: TlsKeys | undefined },
): Promise<string> {
  server.listen(listenPort, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listenPort;
  return `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

// A client that ends its side within a body can still be told that the body was cut off.
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status =
    error.code === 'HPE_INVALID_EOF_STATE' ? '500 Internal Server Error' : '400 Bad Request';
  if (socket.writable)
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  else socket.destroy();
}
