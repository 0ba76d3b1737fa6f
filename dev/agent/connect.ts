import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Answer, type Fields, fieldsOf, jsonAnswer, refuse } from './answer.ts';

// Implements the JSON form of the Connect protocol: https://connectrpc.com/docs/protocol

/** Connect's error codes and their HTTP statuses, which only unary answers use. */
const STATUSES = {
  invalid_argument: 400,
  unauthenticated: 401,
  not_found: 404,
  unimplemented: 501,
  unavailable: 503,
} as const;

export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: keyof typeof STATUSES;

  constructor(code: keyof typeof STATUSES, message: string) {
    super(message);
    this.code = code;
  }
}

export const STREAM = 'application/connect+json';
const UNARY = 'application/json';
// Each frame begins with one byte of flags and four bytes of length.
const HEADER_BYTES = 5;
const LAST = 2;

/**
 * Returns the fields of a request's JSON message. Requests for a stream wrap it in a frame.
 * @throws Refusal (415) for another content type
 */
export async function readMessage(request: IncomingMessage, isStream: boolean): Promise<Fields> {
  const type = request.headers['content-type'];
  if (type !== (isStream ? STREAM : UNARY)) throw refuse(415, `not the type of a message: ${type}`);
  const body = await buffer(request);
  const json = isStream ? body.subarray(HEADER_BYTES, HEADER_BYTES + body.readUInt32BE(1)) : body;
  return fieldsOf(JSON.parse(json.toString()));
}

/** Resolves once the event is written or the connection is closed. */
export function sendEvent(response: ServerResponse, event: object): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise(resolve => void response.write(frame({ event }), () => resolve()));
}

/** Encodes the end of a stream. */
export function endFrame(error?: ConnectError): Buffer {
  return frame(error ? { error: { code: error.code, message: error.message } } : {}, LAST);
}

function frame(message: object, flags = 0): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES, flags);
  header.writeUInt32BE(json.length, 1);
  return Buffer.concat([header, json]);
}

/** Encodes an error as an answer. A stream gets status 200 and a single end frame. */
export function connectErrorAnswer(error: ConnectError, isStream: boolean): Answer {
  const { code, message } = error;
  if (!isStream) return jsonAnswer({ code, message }, STATUSES[code]);
  return { status: 200, headers: { 'Content-Type': STREAM }, body: endFrame(error) };
}
