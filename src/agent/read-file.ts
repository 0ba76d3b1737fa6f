import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { PlannedFile } from '../files/plan.ts';
import { systemCode } from '../text/unknown.ts';
import { AgentError } from './failure.ts';

/** Files up to this size are sent whole, which is much faster than streaming. */
export const SMALL_BYTES = 256 * 1024;

const CHUNK_BYTES = 256 * 1024;

export type LocalFile = Pick<PlannedFile, 'realPath' | 'size'>;

export interface OpenFile {
  /**
   * Reads the whole file into one buffer, so a chunk is only valid until the next.
   * @throws AgentError if the file is shorter than planned
   */
  readonly chunks: () => Generator<Buffer>;
  readonly close: () => void;
}

// O_NOFOLLOW refuses a link that replaced the file; O_NONBLOCK keeps a pipe from blocking.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @throws AgentError if the file cannot be read or its size has changed */
export function openFile(file: LocalFile): OpenFile {
  const descriptor = reading(file, () => openSync(file.realPath, FLAGS));
  const close = () => closeSync(descriptor);
  try {
    checkPlanned(file, descriptor);
  } catch (error) {
    close();
    throw error;
  }
  return { chunks: () => chunksOf(file, descriptor), close };
}

/** Fills `buffer`, which must have the file's exact size. @throws AgentError like `openFile` */
export function readSmallFile(file: LocalFile, buffer: Buffer): void {
  const descriptor = reading(file, () => openSync(file.realPath, FLAGS));
  try {
    checkPlanned(file, descriptor);
    fill(file, descriptor, buffer);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the SHA-256 in hex, or undefined if the file is unreadable or `cancel` aborts. */
export async function hashFile(file: LocalFile, cancel: AbortSignal): Promise<string | undefined> {
  let opened: OpenFile | undefined;
  try {
    opened = openFile(file);
    const digest = createHash('sha256');
    for (const chunk of opened.chunks()) {
      digest.update(chunk);
      // Yield to the event loop, or the process cannot receive signals.
      await setImmediate();
      if (cancel.aborted) return undefined;
    }
    return digest.digest('hex');
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  } finally {
    opened?.close();
  }
}

// Synchronous reads into one buffer are fastest. They are safe because undici asks for a chunk only
// after the socket has released the last one.
function* chunksOf(file: LocalFile, descriptor: number): Generator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(file.size, CHUNK_BYTES));
  for (let read = 0; read < file.size; read += buffer.length) {
    const chunk = buffer.subarray(0, file.size - read);
    fill(file, descriptor, chunk);
    yield chunk;
  }
}

// readSync() may read less than requested.
function fill(file: LocalFile, descriptor: number, buffer: Buffer): void {
  for (let filled = 0; filled < buffer.length; ) {
    const rest = buffer.length - filled;
    const read = reading(file, () => readSync(descriptor, buffer, filled, rest, null));
    if (read === 0) throw changed(file, `shrank by ${rest} bytes or more during the upload`);
    filled += read;
  }
}

function checkPlanned(file: LocalFile, descriptor: number): void {
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) throw changed(file, 'is no longer a regular file');
  if (stat.size !== file.size)
    throw changed(file, `has ${stat.size} bytes instead of the ${file.size} that were found`);
}

function reading<T>(file: LocalFile, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : changed(file, `cannot be read (${code})`);
  }
}

function changed({ realPath }: LocalFile, what: string): AgentError {
  return new AgentError('file-changed', `${realPath} ${what}.`);
}
