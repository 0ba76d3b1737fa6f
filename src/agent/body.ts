import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { AgentError } from './failure.ts';
import type { Frame } from './form.ts';

/** A request body of a known length, made from a file as it is now. */
export interface FileBody {
  readonly body: Buffer | AsyncIterable<Buffer>;
  /** Bytes of the body, frame included. */
  readonly length: number;
  /** Bytes of the file in it. */
  readonly fileBytes: number;
  /** Releases the file. */
  readonly close: () => Promise<void>;
}

/** Files up to this size, in bytes, are sent from one buffer: that takes a fraction of the time of a stream. */
export const BUFFERED_BYTES = 256 * 1024;

const CHUNK_BYTES = 256 * 1024;

// The path has its links resolved already, so a link found there now was put in after the plan was made. Without
// O_NONBLOCK, opening a pipe put in its place would wait for ever. Windows has neither flag.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file and frames its content. `plannedSize` decides between a buffer and a stream.
 * @throws AgentError `file-unreadable` where the file cannot be opened or is no regular file any more.
 */
export async function openBody(path: string, plannedSize: number, frame: Frame): Promise<FileBody> {
  try {
    return (
      (plannedSize <= BUFFERED_BYTES ? buffered(path, frame) : undefined) ?? (await streamed(path, frame))
    );
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** One buffer, read with calls that wait: for small files they cost less than handing them to a thread. */
function buffered(path: string, { head, tail }: Frame): FileBody | undefined {
  const descriptor = openSync(path, FLAGS);
  try {
    const stat = fstatSync(descriptor);
    requireFile(path, stat.isFile());
    if (stat.size > BUFFERED_BYTES) return undefined;
    const body = Buffer.allocUnsafe(head.length + stat.size + tail.length);
    const read = readWhole(descriptor, body.subarray(head.length, head.length + stat.size));
    head.copy(body);
    tail.copy(body, head.length + read);
    const length = head.length + read + tail.length;
    return { body: body.subarray(0, length), length, fileBytes: read, close: async () => {} };
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes read, fewer than the buffer holds where the file has shrunk meanwhile. */
function readWhole(descriptor: number, buffer: Buffer): number {
  let total = 0;
  while (total < buffer.length) {
    const read = readSync(descriptor, buffer, total, buffer.length - total, null);
    if (read === 0) break;
    total += read;
  }
  return total;
}

async function streamed(path: string, frame: Frame): Promise<FileBody> {
  const file = await open(path, FLAGS);
  try {
    const stat = await file.stat();
    requireFile(path, stat.isFile());
    const length = frame.head.length + stat.size + frame.tail.length;
    return {
      body: chunks(file, path, stat.size, frame),
      length,
      fileBytes: stat.size,
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Exactly `size` bytes of the file in its frame: what is appended meanwhile would break the announced length. Two buffers
 * take turns, one is filled while the other is sent, which halves the time and the memory of a new buffer for each chunk.
 * This holds because the consumer asks for the next chunk only when the socket has let go of the one before: a chunk is
 * larger than what a socket takes without asking to wait.
 */
async function* chunks(
  file: FileHandle,
  path: string,
  size: number,
  { head, tail }: Frame,
): AsyncGenerator<Buffer> {
  yield head;
  const length = Math.min(CHUNK_BYTES, size);
  const [one, other] = [Buffer.allocUnsafeSlow(length), Buffer.allocUnsafeSlow(length)];
  let reading = readAhead(file, one, 0, size);
  for (let sent = 0, spare = other; sent < size; ) {
    const chunk = await reading;
    if (chunk.length === 0) throw shorter(path, size - sent);
    sent += chunk.length;
    reading = readAhead(file, spare, sent, size);
    spare = spare === one ? other : one;
    yield chunk;
  }
  yield tail;
}

/** Reads on from `position` as far as the buffer and `size` reach. */
function readAhead(file: FileHandle, buffer: Buffer, position: number, size: number): Promise<Buffer> {
  const reading = file
    .read(buffer, 0, Math.min(buffer.length, size - position), position)
    .then(({ bytesRead }) => buffer.subarray(0, bytesRead));
  // Whoever waits for it still gets the error; nobody may, where the request has failed meanwhile.
  reading.catch(() => {});
  return reading;
}

function shorter(path: string, missing: number): AgentError {
  return new AgentError('file-changed', `${path} became shorter while it was sent, by ${missing} bytes.`);
}

function requireFile(path: string, isFile: boolean): void {
  if (!isFile) throw new AgentError('file-unreadable', `${path} is not a regular file any more.`);
}

function unreadable(path: string, error: unknown): unknown {
  if (error instanceof AgentError || !(error instanceof Error) || !('code' in error)) return error;
  return new AgentError('file-unreadable', `${path} cannot be read (${String(error.code)}).`, {
    cause: error,
  });
}
