import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeWith, listenHere } from './listening.ts';

/** A request to a proxy. */
export interface ProxyRequest {
  readonly method: string;
  /** The host and port requested. */
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
}

/** A forward proxy that also tunnels. */
export interface Proxy extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  readonly requests: readonly ProxyRequest[];
}

export interface ProxyOptions {
  /** URL of the agent behind `http://agent.test`, which only this proxy can find. */
  readonly agent?: string;
}

/** Starts a proxy. */
export async function openProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const { agent } = options;
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming, response) => {
    requests.push(requestOf(incoming, new URL(incoming.url ?? '').host));
    forward(incoming, response, agent);
  });
  server.on('connection', keep);
  server.on('connect', (incoming, socket: Duplex) => {
    requests.push(requestOf(incoming, incoming.url ?? ''));
    keep(tunnel(`http://${incoming.url}`, socket));
  });
  const port = await listenHere(server);
  return {
    address: `127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () => closeWith(server, sockets),
  };
}

function requestOf({ method = '', headers }: IncomingMessage, host: string): ProxyRequest {
  return { method, host, headers };
}

function forward(incoming: IncomingMessage, response: ServerResponse, agent = ''): void {
  const { method } = incoming;
  const url = incoming.url?.replace(/^http:\/\/agent\.test/, agent) ?? '';
  const { 'proxy-authorization': _, ...headers } = incoming.headers;
  const outgoing = request(url, { method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

function tunnel(url: string, client: Duplex): Duplex {
  const { hostname, port } = new URL(url);
  const upstream = connect(Number(port || 80), hostname, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  for (const end of [client, upstream]) end.on('error', () => client.destroy());
  return upstream;
}
