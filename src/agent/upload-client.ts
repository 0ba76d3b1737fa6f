import { posix } from 'node:path';
import type { Connection } from '../inputs/connection.ts';
import { BUFFER_BYTES, openBody } from './body.ts';
import { bufferPool } from './buffer-pool.ts';
import { badAnswer, type Exchange } from './exchange.ts';
import { AgentError } from './failure.ts';
import { frame } from './form.ts';
import type { HttpAnswer } from './http.ts';

/** A file on the runner and where it goes in the sandbox. */
export interface UploadFile {
  /** Absolute path on the runner, its links resolved. */
  readonly realPath: string;
  /** POSIX path in the sandbox, absolute or relative to the user's home. */
  readonly target: string;
  /** Bytes, when the plan was made. */
  readonly size: number;
}

/** What the agent acknowledged. */
export interface StoredFile {
  /** The path as the agent returned it. */
  readonly path: string;
  /** Bytes of the file that were sent. */
  readonly size: number;
}

/** Stores a file, one attempt. `onSent` is told the bytes of the body as they leave, frame included. */
export type UploadFileOnce = (file: UploadFile, onSent: (bytes: number) => void) => Promise<StoredFile>;

// The longest path of Linux. One is kept for each file until the end, and an answer may be a thousand times as long.
const MAX_PATH_BYTES = 4096;

/** Uploads over an exchange; `query` holds the parameters of every upload beside `path`. */
export function uploader(
  { uploadPath }: Connection,
  query: Readonly<Record<string, string>>,
  { send, redact }: Exchange,
): UploadFileOnce {
  const pool = bufferPool(BUFFER_BYTES);
  const further = Object.entries(query).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`);
  return async (file, onSent) => {
    const framing = frame(file.target);
    const source = { path: file.realPath, plannedSize: file.size, frame: framing, pool };
    const { body, length, fileBytes, close } = await openBody(source);
    let sent = false;
    try {
      const headers = { 'Content-Type': framing.contentType, 'Content-Length': String(length) };
      const path = `${uploadPath}?path=${encodeURIComponent(file.target)}${further.join('')}`;
      const answer = await send({ method: 'POST', path, headers, body, onSent });
      const stored = { path: redact(storedPath(answer, file.target)), size: fileBytes };
      sent = true;
      return stored;
    } finally {
      await close(sent);
    }
  };
}

/** The path of the one File entry that acknowledges the upload to `target`. */
function storedPath(answer: HttpAnswer, target: string): string {
  if (!answer.sentWhole) throw tooEarly(answer);
  const body = parse(answer);
  const entries = Array.isArray(body) ? body : [body];
  const entry: unknown = entries[0];
  if (entries.length !== 1 || typeof entry !== 'object' || entry === null) {
    throw badAnswer(answer, `It holds ${entries.length} file entries, where one was expected`);
  }
  const { path, name, type } = { path: undefined, name: undefined, type: undefined, ...entry };
  if (type !== 'file') throw badAnswer(answer, 'Its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'Its entry names another file');
  if (typeof path !== 'string' || path === '') throw badAnswer(answer, 'Its entry has no path');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    throw badAnswer(answer, `Its entry has a path longer than ${MAX_PATH_BYTES} bytes`);
  }
  return path;
}

function tooEarly({ tried, status }: HttpAnswer): AgentError {
  const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
  return new AgentError('connection', message, { status });
}

function parse(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', error);
  }
}
