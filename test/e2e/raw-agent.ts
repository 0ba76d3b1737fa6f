import type { Socket } from 'node:net';
import { http, onRequest, rawServer } from '../raw-server.ts';
import { entryOf, METRICS } from './harness.ts';

/** A request, once all of it has arrived. */
export interface Received {
  /** The request line. */
  readonly line: string;
  /** The header lines. */
  readonly headers: readonly string[];
  /** The path of an upload's query. */
  readonly target: string;
  readonly body: Buffer;
}

/** Answers a request. */
export type Talk = (socket: Socket, request: Received) => void;

export interface Talks {
  readonly upload?: Talk;
  /** Talks for certain files, by their targets. */
  readonly uploads?: Readonly<Record<string, Talk>>;
  readonly stats?: Talk;
}

/** An agent that says whatever bytes it is told. Without orders, it is a good one. */
export interface RawAgent extends AsyncDisposable {
  readonly url: string;
  readonly connections: () => number;
  readonly requests: readonly Received[];
}

export async function openRaw({ upload, uploads, stats }: Talks = {}): Promise<RawAgent> {
  const requests: Received[] = [];
  const server = await rawServer(
    onRequest((socket, { head, body }) => {
      const [line = '', ...headers] = head.trimEnd().split('\r\n');
      const target = new URLSearchParams(/\?(\S*)/.exec(line)?.[1] ?? '').get('path') ?? '';
      const request = { line, headers, target, body };
      requests.push(request);
      const talk = line.startsWith('POST')
        ? (uploads?.[target] ?? upload ?? answer(200, entryText(target)))
        : (stats ?? answer(200, JSON.stringify(METRICS)));
      talk(socket, request);
    }),
  );
  return {
    url: `http://${server.host}`,
    connections: () => server.connections.length,
    requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A complete answer. */
export function answer(
  status: number,
  body: string | ((request: Received) => string),
  headers: readonly string[] = [],
): Talk {
  return (socket, request) => {
    socket.write(http(status, typeof body === 'function' ? body(request) : body, headers));
  };
}

/** Sends these bytes. */
export function saying(bytes: string | Buffer): Talk {
  return socket => void socket.write(bytes);
}

/** The entry that acknowledges a target, as JSON. */
export function entryText(target: string, more: object = {}): string {
  return JSON.stringify(entryOf(target, more));
}
