import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
} from 'node:tls';
import type { Keys } from '../../dev/agent/keys.ts';
import type { Answer } from '../../src/agent/answer.ts';
import { type AgentRequest, type Client, openClient } from '../../src/agent/client.ts';
import type { Connection } from '../../src/inputs/inputs.ts';
import { closeWith, listenHere } from '../listening.ts';

/** A server on a free local port that sends exactly what it is told. */
export interface Listener extends AsyncDisposable {
  /** Address and port. */
  readonly host: string;
  readonly connections: readonly Socket[];
  /** Resolves with the next connection. */
  readonly connected: () => Promise<Socket>;
}

export type Talk = (socket: Socket) => void;

export function listen(talk: Talk = () => {}): Promise<Listener> {
  return listening(createServer(), 'connection', talk);
}

/** A TLS server that also offers, and prefers, HTTP/2. */
export function listenTls({ key, cert }: Keys, talk: Talk): Promise<Listener> {
  const server = createTlsServer({ key, cert, ALPNProtocols: ['h2', 'http/1.1'] });
  return listening(server, 'secureConnection', talk);
}

async function listening(server: Server, event: string, talk: Talk): Promise<Listener> {
  const connections: Socket[] = [];
  const events = new EventEmitter();
  server.on('connection', (socket: Socket) => {
    connections.push(socket.on('error', () => {}));
    events.emit('connected', socket);
  });
  server.on(event, (socket: Socket) => talk(socket.on('error', () => {})));
  const port = await listenHere(server);
  return {
    host: `127.0.0.1:${port}`,
    connections,
    connected: async () => (await once(events, 'connected'))[0],
    [Symbol.asyncDispose]: () => closeWith(server, connections),
  };
}

/** Talks after the head of a request. */
export function afterHead(say: Talk): Talk {
  return socket => {
    let read = '';
    const onData = (data: Buffer) => {
      read += data.toString('latin1');
      if (!read.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      socket.pause();
      say(socket);
    };
    socket.on('data', onData);
  };
}

/** Answers each request without a body. */
export function answering(say: (socket: Socket, count: number) => unknown): Talk {
  return socket => {
    let count = 0;
    let unread = '';
    socket.on('data', data => {
      const requests = `${unread}${String(data)}`.split('\r\n\r\n');
      unread = requests.pop() ?? '';
      for (const _ of requests) say(socket, ++count);
    });
  };
}

/** Sends a text at short intervals as long as the client listens. */
export function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.on('close', () => clearInterval(timer));
}

/** Resolves when the other side has closed the connection in any way. */
export function closed(socket: Socket): Promise<void> {
  return new Promise(resolve => void socket.once('close', () => resolve()));
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

export const TOKEN = 'tok-3f9c1d-secret';

export const REQUEST: AgentRequest = { method: 'GET', path: '/path?query' };

/** A test's settings of a client. By default, it gives up after 200 ms. */
export interface Settings extends Partial<Connection> {
  readonly cancel?: AbortSignal;
  readonly signature?: string;
}

export function open(baseUrl: string, settings: Settings = {}): Client {
  const { cancel = new AbortController().signal, ...more } = settings;
  const connection: Connection & { readonly signature?: string } = {
    sandboxId: 'i1a2b3c4d5',
    token: TOKEN,
    baseUrl,
    allowInsecureHttp: true,
    port: 49_983,
    headerPrefix: 'Svc',
    statsPath: '/metrics',
    headers: {},
    timeout: 200,
    ...more,
  };
  return openClient(connection, { cancel, now: Date.now });
}

/** Sends one request with its own client. */
export async function send(baseUrl: string, settings: Settings = {}): Promise<Answer> {
  const client = open(baseUrl, settings);
  try {
    return await client.send(REQUEST);
  } finally {
    await client.close();
  }
}

/** A POST of these chunks. */
export function post(chunks: AsyncIterable<Buffer>, length: number): AgentRequest {
  return {
    method: 'POST',
    path: '/files',
    headers: { 'Content-Length': String(length) },
    body: chunks,
  };
}

/** Sets only these proxy variables until disposed of. */
export function proxyVariables(values: Readonly<Record<string, string>>): Disposable {
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];
  const before = names.map(name => [name, process.env[name]] as const);
  // In turn: Windows treats both spellings as one variable.
  for (const name of names) put(name, undefined);
  for (const [name, value] of Object.entries(values)) put(name, value);
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before) put(name, value);
    },
  };
}

function put(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/** Makes this process trust the keys' certificate. */
export function trust({ cert }: Keys): void {
  setDefaultCACertificates([...getCACertificates(), cert]);
}
