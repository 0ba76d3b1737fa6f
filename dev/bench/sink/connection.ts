import { Socket } from 'node:net';
import { posix } from 'node:path';
import {
  type Coding,
  chunkedCoding,
  identityCoding,
  parseRequestHead,
  type RequestHead,
} from './http.ts';
import { type BodyReader, multipartReader, plainReader, type ReceivedFile } from './multipart.ts';

/** What the connections of a sink share. */
export interface Service {
  /** Called with the files of each request before it is answered. */
  readonly received: (files: readonly ReceivedFile[]) => void;
}

interface Request {
  readonly head: RequestHead;
  readonly body: BodyReader;
  readonly coding: Coding;
}

const STATS = JSON.stringify({
  ts: 1767225600,
  cpu_count: 2,
  cpu_used_pct: 12.5,
  mem_total: 1 << 30,
  mem_used: 1 << 28,
});

type OnPiece = (piece: Buffer) => void;

/** Serves an accepted, paused connection. */
export function serveConnection(accepted: Socket, service: Service): void {
  serve(onPiece => readInOneBuffer(accepted, onPiece), service);
}

/** Serves a connection after TLS. */
export function serveDecrypted(socket: Socket, service: Service): void {
  serve(onPiece => socket.on('data', onPiece), service);
}

/**
 * Serves one kept-alive connection: requests one after the other, each body counted and thrown
 * away. With node:http and `@fastify/busboy`, 1 GiB from curl takes the sink 1.9 to 2.5 s of
 * processor time instead of 0.4, so that it would be measured.
 */
function serve(open: (onPiece: OnPiece) => Socket, service: Service): void {
  let head: Buffer = Buffer.alloc(0);
  let request: Request | undefined;
  const socket = open(piece => {
    let rest = piece;
    while (rest.length > 0) {
      rest = request === undefined ? readHead(rest) : rest.subarray(request.coding.take(rest));
      if (!request?.coding.isAtEnd()) continue;
      answer(socket, request, service);
      request = undefined;
    }
  });
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());

  function readHead(piece: Buffer): Buffer {
    const all = head.length === 0 ? piece : Buffer.concat([head, piece]);
    const end = all.indexOf('\r\n\r\n');
    head = end === -1 ? Buffer.from(all) : Buffer.alloc(0);
    if (end === -1) return Buffer.alloc(0);
    request = openRequest(parseRequestHead(all.toString('latin1', 0, end)));
    if (request.head.expectsContinue) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    return all.subarray(end + 4);
  }
}

function openRequest(head: RequestHead): Request {
  const body = bodyReaderFor(head);
  const coding =
    head.length === undefined ? chunkedCoding(body.push) : identityCoding(head.length, body.push);
  return { head, body, coding };
}

/** The reader for the body of a request. */
export function bodyReaderFor({ boundary, target }: RequestHead): BodyReader {
  return boundary === undefined ? plainReader(target ?? '') : multipartReader(boundary);
}

function answer(socket: Socket, { head, body }: Request, { received }: Service): void {
  const text = answerText(head, body, received);
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`,
  );
}

/** Reports the files of a request, and returns its answer. */
export function answerText(
  { method, target }: RequestHead,
  body: BodyReader,
  received: Service['received'],
): string {
  const isUpload = method === 'POST';
  const files = isUpload ? body.files() : [];
  received(files);
  return isUpload ? JSON.stringify(files.map(({ name }) => entry(target ?? name))) : STATS;
}

function entry(path: string): { path: string; name: string; type: 'file' } {
  return { path, name: posix.basename(path), type: 'file' };
}

// Shared by all connections: each piece is handled before the next is read.
const BUFFER = Buffer.alloc(256 * 1024);

/**
 * Reads an accepted connection into one reused buffer, so listeners must copy what they keep. A new
 * buffer per read, as in Node's servers, takes twice the time. Node only offers this for outgoing
 * connections, hence the handle.
 */
function readInOneBuffer(accepted: Socket, onPiece: OnPiece): Socket {
  const handle: unknown = Reflect.get(accepted, '_handle');
  Reflect.set(accepted, '_handle', null);
  const onread = {
    buffer: BUFFER,
    callback(length: number) {
      onPiece(BUFFER.subarray(0, length));
      return true;
    },
  };
  const options: object = { handle, onread };
  const socket = new Socket(options);
  socket.resume();
  return socket;
}
