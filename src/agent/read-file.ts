import { createHash, type Hash, hash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../text/system-error.ts';
import { AgentError } from './failure.ts';

export interface LocalFile {
  /** Absolute path, its links resolved. */
  readonly realPath: string;
  /** From `identityOf`. */
  readonly identity: string;
}

/** Which file it is, whatever its path. */
export function identityOf({ dev, ino }: BigIntStats): string {
  // On Windows, the device depends on how it was asked for.
  return process.platform === 'win32' ? String(ino) : `${dev}:${ino}`;
}

/** O_NOFOLLOW refuses a link that was put there later; O_NONBLOCK does not wait for a pipe. */
export const READ_FLAGS =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

// Windows numbers files beyond 2^53.
const EXACTLY = { bigint: true } as const;

/**
 * Reads a file into a buffer from `offset` on, synchronously, which is fastest for small files.
 * Returns its size; undefined if it does not fit with a byte to spare, or cannot be read.
 */
export function readSmallFile(file: LocalFile, buffer: Buffer, offset: number): number | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file.realPath, READ_FLAGS);
    const opened = fstatSync(descriptor, EXACTLY);
    checkOpened(file, opened);
    // One byte more than announced: files of /proc say that they are empty, and a file may grow.
    const end = offset + Number(opened.size) + 1;
    if (end > buffer.length) return undefined;
    let position = offset;
    for (let read = -1; read !== 0 && position < end; position += read)
      read = readSync(descriptor, buffer, position, end - position, null);
    checkUnchanged(file, opened, fstatSync(descriptor, EXACTLY));
    return position === end ? undefined : position - offset;
  } catch (error) {
    if (error instanceof AgentError || systemCode(error) !== undefined) return undefined;
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Up to this size, a file is read and sent whole, in a fraction of the time of a stream. */
export const SMALL_BYTES = 256 * 1024;

const CHUNK_BYTES = 256 * 1024;

export interface OpenFile {
  /** Bytes when it was opened. */
  readonly size: number;
  /** Exactly that many bytes. @throws AgentError if the file changes meanwhile */
  readonly chunks: () => AsyncGenerator<Buffer>;
  /** The SHA-256 of the chunks, once all were taken, in hexadecimal digits. */
  readonly sha256: () => string;
  readonly close: () => Promise<void>;
}

/** @throws AgentError if the file cannot be read, or is another one than was found */
export async function openFile(file: LocalFile, isHashed: boolean): Promise<OpenFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file.realPath, READ_FLAGS);
    const stats = await handle.stat(EXACTLY);
    checkOpened(file, stats);
    await checkNotEmpty(file, handle, stats);
    const source = { file, handle, stats, digest: isHashed ? createHash('sha256') : undefined };
    return {
      size: Number(stats.size),
      chunks: () => chunksOf(source),
      sha256: () => source.digest?.digest('hex') ?? '',
      close: () => source.handle.close(),
    };
  } catch (error) {
    await handle?.close();
    throw readFailure(file, error);
  }
}

/** SHA-256 in hexadecimal digits; undefined if the file cannot be read, or `cancel` aborts. */
export async function hashFile(
  file: LocalFile & { readonly size: number },
  cancel: AbortSignal,
): Promise<string | undefined> {
  // Signals have their turn between two files.
  await setImmediate();
  if (cancel.aborted) return undefined;
  if (file.size <= SMALL_BYTES) {
    const buffer = Buffer.allocUnsafeSlow(file.size + 1);
    const size = readSmallFile(file, buffer, 0);
    return size === undefined ? undefined : hash('sha256', buffer.subarray(0, size));
  }
  let opened: OpenFile | undefined;
  try {
    opened = await openFile(file, true);
    for await (const _ of opened.chunks()) if (cancel.aborted) return undefined;
    return opened.sha256();
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  } finally {
    await opened?.close();
  }
}

interface Source {
  readonly file: LocalFile;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  readonly digest: Hash | undefined;
}

/**
 * Fills one buffer while the other is being sent: when undici asks for a chunk, it has released the
 * one before. A new buffer for each chunk takes twice the memory.
 */
async function* chunksOf({ file, handle, stats, digest }: Source): AsyncGenerator<Buffer> {
  const size = Number(stats.size);
  const allocate = () => Buffer.allocUnsafeSlow(Math.min(size, CHUNK_BYTES));
  let buffer = allocate();
  let other = allocate();
  const readAt = (position: number) => {
    [buffer, other] = [other, buffer];
    const reading = fill(handle, buffer.subarray(0, size - position), position);
    // The error reaches whoever waits for the chunk; after a failed request, nobody does.
    reading.catch(() => {});
    return reading;
  };
  try {
    let next = readAt(0);
    for (let sent = 0; sent < size; ) {
      const chunk = await next;
      if (chunk.length === 0) {
        const message = `${file.realPath} shrank by ${size - sent} bytes during the upload.`;
        throw new AgentError('file-changed', message);
      }
      sent += chunk.length;
      digest?.update(chunk);
      if (sent < size) next = readAt(sent);
      // Check before the last chunk leaves: the agent cannot store an incomplete body.
      else checkUnchanged(file, stats, await handle.stat(EXACTLY));
      yield chunk;
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}

/** Fills a buffer as far as the file reaches; a system may read less than was asked for. */
async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  let filled = 0;
  while (filled < buffer.length) {
    const at = position + filled;
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** O_NOFOLLOW does not notice that a parent folder has become a link. */
function checkOpened({ realPath, identity }: LocalFile, opened: BigIntStats): void {
  if (!opened.isFile())
    throw new AgentError('file-unreadable', `${realPath} is no longer a regular file.`);
  if (identityOf(opened) !== identity)
    throw new AgentError('file-replaced', `${realPath} was replaced after it was found.`);
}

/** What a memory map writes later cannot be seen. */
function checkUnchanged({ realPath }: LocalFile, opened: BigIntStats, now: BigIntStats): void {
  const isSame =
    now.size === opened.size && now.mtimeNs === opened.mtimeNs && now.ctimeNs === opened.ctimeNs;
  if (!isSame) throw new AgentError('file-changed', `${realPath} changed while it was read.`);
}

/** Files in /proc report size 0 but have content. */
async function checkNotEmpty(
  { realPath }: LocalFile,
  handle: FileHandle,
  { size }: BigIntStats,
): Promise<void> {
  if (size > 0 || (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead === 0) return;
  throw new AgentError('file-unreadable', `${realPath} claims to be empty but has content.`);
}

function readFailure({ realPath }: LocalFile, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'EMFILE' || code === 'ENFILE') {
    const message = `${realPath} cannot be opened now: too many files are open (${code}).`;
    return new AgentError('too-many-open', message);
  }
  return new AgentError('file-unreadable', `${realPath} cannot be read (${code}).`, {
    cause: error,
  });
}
