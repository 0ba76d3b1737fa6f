import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { closeWith, listenHere } from '../listening.ts';

/** A request to a proxy. */
export interface ProxyRequest {
  readonly method: string;
  /** The host and port requested. */
  readonly host: string;
  readonly authorization: string | undefined;
}

/** A forward proxy that also tunnels. */
export interface Proxy extends AsyncDisposable {
  /** Host and port. */
  readonly address: string;
  readonly requests: readonly ProxyRequest[];
  /** Resolves when all clients have disconnected. */
  readonly idle: () => Promise<void>;
}

/** Writes to a client that has sent a request. */
export type Say = (client: Duplex) => void;

export interface ProxyOptions {
  /** Sent instead of forwarding or tunnelling. */
  readonly instead?: Say;
  /** How many requests to serve before that. Default 0. */
  readonly after?: number;
  /** How many requests get it. Default: all. */
  readonly times?: number;
  /** Called for each request that gets it. */
  readonly onRequest?: () => void;
  /** URL of the agent behind `http://agent.test`, which only this proxy can find. */
  readonly agent?: string;
  /** URL that every tunnel leads to, whatever its host. */
  readonly tunnelTo?: string;
}

/** Starts a proxy. */
export async function openProxy(options: ProxyOptions = {}): Promise<Proxy> {
  const {
    instead,
    after = 0,
    times = Number.POSITIVE_INFINITY,
    onRequest,
    agent,
    tunnelTo,
  } = options;
  const requests: ProxyRequest[] = [];
  const sockets = new Set<Duplex>();
  const say = (client: Duplex) => {
    instead?.(client);
    onRequest?.();
  };
  const isServed = () =>
    instead === undefined || requests.length <= after || requests.length > after + times;
  const server = createServer((incoming, response) => {
    requests.push(requestOf(incoming, new URL(incoming.url ?? '').host));
    if (isServed()) forward(incoming, response, agent);
    else say(incoming.socket);
  });
  const keep = (socket: Duplex) => {
    sockets.add(socket.on('error', () => {}).on('end', () => socket.destroy()));
    socket.on('close', () => sockets.delete(socket));
  };
  server.on('connection', keep);
  server.on('connect', (incoming, socket: Duplex) => {
    requests.push(requestOf(incoming, incoming.url ?? ''));
    if (isServed()) keep(tunnel(tunnelTo ?? `http://${incoming.url}`, socket));
    else say(socket.on('data', data => String(data).startsWith('CONNECT ') && say(socket)));
  });
  const port = await listenHere(server);
  return {
    address: `127.0.0.1:${port}`,
    requests,
    async idle() {
      // Closed in any way: `once` would reject for an error.
      for (const socket of sockets)
        if (!socket.closed) await new Promise(resolve => socket.once('close', resolve));
    },
    [Symbol.asyncDispose]: () => closeWith(server, sockets),
  };
}

/** Refuses with a status and keeps the connection. */
export function refusing(status: number): Say {
  return client => void client.write(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\n\r\n`);
}

/** Drips bytes of an answer as long as the client listens. */
export function dripping(client: Duplex): void {
  client.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const timer = setInterval(() => client.write('x'), 20);
  client.on('close', () => clearInterval(timer));
}

/** Answers a CONNECT as if there were a tunnel. */
export function pretending(client: Duplex): void {
  client.write(ESTABLISHED);
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

function requestOf({ method = '', headers }: IncomingMessage, host: string): ProxyRequest {
  return { method, host, authorization: headers['proxy-authorization'] };
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
    client.write(ESTABLISHED);
    upstream.pipe(client).pipe(upstream);
  });
  for (const end of [client, upstream]) end.on('error', () => client.destroy());
  return upstream;
}
