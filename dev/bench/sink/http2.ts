import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { answerText, bodyReaderFor, type Service } from './connection.ts';
import { parseRequestHead } from './http.ts';

// With Node's 64 KiB, round trips would limit every large file.
const STREAM_WINDOW = 2 ** 20;
const SESSION_WINDOW = 2 ** 24;
// curl resets every stream that has ended; after a thousand, Node would see an attack.
const RESETS = { streamResetBurst: 1_000_000, streamResetRate: 1_000_000 };

/** Serves one HTTP/2 connection: counts and discards each body. */
export function serveHttp2(socket: TLSSocket, service: Service): void {
  const session = performServerHandshake(socket, {
    settings: { initialWindowSize: STREAM_WINDOW },
    ...RESETS,
  });
  session.setLocalWindowSize(SESSION_WINDOW);
  session.on('error', () => socket.destroy());
  session.on('stream', (stream, headers) => serveStream(stream, headers, service));
}

function serveStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { received }: Service,
): void {
  const head = parseRequestHead(
    `${headers[':method']} ${headers[':path']} HTTP/2\r\ncontent-type: ${headers['content-type']}`,
  );
  const body = bodyReaderFor(head);
  stream.on('data', body.push);
  stream.on('error', () => stream.destroy());
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end(answerText(head, body, received));
  });
}
