import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { type Answer, Refusal } from './answer.ts';

// The Connect protocol in JSON: https://connectrpc.com/docs/protocol

/** Its codes, with the HTTP status of an answer that is no stream. */
const STATUSES = {
  invalid_argument: 400,
  unauthenticated: 401,
  not_found: 404,
  internal: 500,
  unimplemented: 501,
} as const;

/** An error that the answer names by code, in its last frame or its JSON. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: keyof typeof STATUSES;

  constructor(code: keyof typeof STATUSES, message: string) {
    super(message);
    this.code = code;
  }
}

const STREAM = 'application/connect+json';
const UNARY = 'application/json';
// A byte of flags and four of length.
const HEADER_BYTES = 5;
const LAST = 2;

/** Returns the single message of a request for a stream. @throws ConnectError */
export async function readFramed(request: IncomingMessage): Promise<unknown> {
  checkType(request, STREAM);
  const body = await buffer(request);
  if (body.length < HEADER_BYTES)
    throw new ConnectError('unimplemented', 'unary request has zero messages');
  const promised = body.readUInt32BE(1);
  const length = body.length - HEADER_BYTES;
  const problem = `promised ${promised} bytes in enveloped message, got ${length} bytes`;
  if (length < promised) throw new ConnectError('invalid_argument', `protocol error: ${problem}`);
  if (length > promised)
    throw new ConnectError('unimplemented', 'unary request has multiple messages');
  return parse(body.toString('utf8', HEADER_BYTES));
}

/** Returns the message of a request without a stream. @throws ConnectError */
export async function readUnary(request: IncomingMessage): Promise<unknown> {
  checkType(request, UNARY);
  return parse(await text(request));
}

function checkType({ headers }: IncomingMessage, type: string): void {
  if (headers['content-type']?.split(';')[0] !== type) throw new Refusal(415, '', 'library');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ConnectError('invalid_argument', `unmarshal message: ${String(error)}`);
  }
}

/** Begins a stream; its frames follow. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': STREAM, 'Connect-Accept-Encoding': 'gzip' });
}

export function frame(message: object, flags = 0): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES, flags);
  header.writeUInt32BE(json.length, 1);
  return Buffer.concat([header, json]);
}

/** The frame that ends a stream. */
export function lastFrame(error?: ConnectError): Buffer {
  return frame(error === undefined ? {} : { error: describe(error) }, LAST);
}

/** A stream that only has an error. */
export function streamError(error: ConnectError): Answer {
  return { status: 200, headers: { 'Content-Type': STREAM }, body: lastFrame(error) };
}

export function unaryAnswer(message: object): Answer {
  return { status: 200, headers: { 'Content-Type': UNARY }, body: JSON.stringify(message) };
}

export function unaryError(error: ConnectError): Answer {
  return { ...unaryAnswer(describe(error)), status: STATUSES[error.code] };
}

function describe({ code, message }: ConnectError) {
  return { code, message };
}
