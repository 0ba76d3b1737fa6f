import { type FileHandle, open } from 'node:fs/promises';
import type { BufferPool } from './buffer-pool.ts';
import { AgentError } from './failure.ts';
import { checkOpened, READ_FLAGS } from './opened.ts';
import { readSmallFile } from './small-file.ts';
import { systemCode } from './system-error.ts';

/** A request body of a known length, made from a file as it is now. */
export interface FileBody {
  readonly body: Buffer | AsyncIterable<Buffer>;
  /** Bytes of the body, frame included. */
  readonly length: number;
  /** Bytes of the file in it. */
  readonly fileBytes: number;
  /**
   * Releases the file, and the body's buffers for further use if `sent`: the whole body was sent and answered. After a
   * failure the network may still read from them.
   */
  readonly close: (sent: boolean) => Promise<void>;
}

/** The bytes of a body round the content of its file. */
export interface Frame {
  readonly head: Buffer;
  readonly tail: Buffer;
}

/** What a body is made from. */
export interface BodySource {
  /** Absolute, links resolved. */
  readonly path: string;
  /** Bytes, when the plan was made. */
  readonly plannedSize: number;
  readonly frame: Frame;
  readonly pool: BufferPool;
  /** Told the content as it goes into the body, piece by piece. */
  readonly onContent?: ((piece: Buffer) => void) | undefined;
}

/**
 * The size of the buffers, in bytes. A body that fits in one is sent as one, which takes a fraction of the time of a
 * stream; longer ones are streamed in chunks of this size.
 */
export const BUFFER_BYTES = 256 * 1024;

/**
 * Opens a file and frames its content.
 * @throws AgentError `file-unreadable` where the file cannot be opened, is no regular file any more, or is reached through
 * a link; `file-changed` where it is being replaced.
 */
export async function openBody(source: BodySource): Promise<FileBody> {
  try {
    const fits = frameBytes(source.frame) + source.plannedSize <= source.pool.size;
    return (fits ? buffered(source) : undefined) ?? (await streamed(source));
  } catch (error) {
    throw unreadable(source.path, error);
  }
}

/** One buffer, or undefined where the file has grown out of it. */
function buffered({ path, frame, pool, onContent }: BodySource): FileBody | undefined {
  const { head, tail } = frame;
  const buffer = pool.take();
  let read: number | undefined;
  try {
    read = readSmallFile(path, buffer, { offset: head.length, room: pool.size - frameBytes(frame) });
  } finally {
    if (read === undefined) pool.give(buffer);
  }
  if (read === undefined) return undefined;
  onContent?.(buffer.subarray(head.length, head.length + read));
  head.copy(buffer);
  tail.copy(buffer, head.length + read);
  const length = frameBytes(frame) + read;
  const close = async (sent: boolean) => (sent ? pool.give(buffer) : undefined);
  return { body: buffer.subarray(0, length), length, fileBytes: read, close };
}

async function streamed({ path, frame, pool, onContent }: BodySource): Promise<FileBody> {
  const file = await open(path, READ_FLAGS);
  try {
    const size = checkOpened(path, await file.stat());
    const buffers = [pool.take(), pool.take()] as const;
    const close = async (sent: boolean) => {
      await file.close();
      if (sent) for (const buffer of buffers) pool.give(buffer);
    };
    const body = chunks({ file, path, size, frame, buffers, onContent });
    return { body, length: frameBytes(frame) + size, fileBytes: size, close };
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface Opened {
  readonly file: FileHandle;
  readonly path: string;
  readonly size: number;
  readonly frame: Frame;
  readonly buffers: readonly [Buffer, Buffer];
  readonly onContent: BodySource['onContent'];
}

/**
 * Exactly `size` bytes of the file in its frame: what is appended meanwhile would break the announced length. Two buffers
 * take turns, one is filled while the other is sent, which halves the time and the memory of a new buffer for each chunk.
 * This holds because the consumer asks for the next chunk only when the socket has let go of the one before: a chunk is
 * larger than what a socket takes without asking to wait.
 */
async function* chunks({ file, path, size, frame, buffers, onContent }: Opened): AsyncGenerator<Buffer> {
  yield frame.head;
  let [filling, spare] = buffers;
  let reading = readAhead(file, filling, 0, size);
  for (let sent = 0; sent < size; ) {
    const chunk = await reading;
    if (chunk.length === 0) throw shorter(path, size - sent);
    sent += chunk.length;
    onContent?.(chunk);
    [filling, spare] = [spare, filling];
    reading = readAhead(file, filling, sent, size);
    yield chunk;
  }
  yield frame.tail;
}

/** Reads on from `position` as far as the buffer and `size` reach. */
function readAhead(file: FileHandle, buffer: Buffer, position: number, size: number): Promise<Buffer> {
  const reading = fill(file, buffer.subarray(0, Math.min(buffer.length, size - position)), position);
  // Whoever waits for it still gets the error; nobody may, where the request has failed meanwhile.
  reading.catch(() => {});
  return reading;
}

/** A system may give less than was asked for; a short chunk would break what the turns of the buffers rest on. */
async function fill(file: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function frameBytes({ head, tail }: Frame): number {
  return head.length + tail.length;
}

function shorter(path: string, missing: number): AgentError {
  return new AgentError('file-changed', `${path} became shorter while it was sent, by ${missing} bytes.`);
}

/** The error of a file that cannot be read; of bugs and AgentErrors, the very one. */
export function unreadable(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  return new AgentError('file-unreadable', `${path} cannot be read (${code}).`, { cause: error });
}
