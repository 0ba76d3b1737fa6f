import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type BorrowedChunk, lend } from '../agent/borrowed-chunk.ts';
import { AgentError } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import { systemCode } from '../text/errors.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a file. Its `chunks` throw an AgentError if it shrinks.
 * @throws AgentError if the file cannot be opened or its size has changed
 */
export function openFile(file: PlannedFile) {
  const descriptor = openPlanned(file);
  return { chunks: chunksOf(file, descriptor), close: () => closeSync(descriptor) };
}

/** Fills `buffer`, which must have the file's size. @throws AgentError if the file has changed */
export function readSmallFile(file: PlannedFile, buffer: Buffer): void {
  const descriptor = openPlanned(file);
  try {
    readInto(buffer, file, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns the SHA-256 in hex, or undefined if `cancel` aborts.
 * @throws AgentError if the file cannot be read or its size has changed
 */
export async function hashFile(
  file: PlannedFile,
  cancel: AbortSignal,
): Promise<string | undefined> {
  const { chunks, close } = openFile(file);
  const digest = createHash('sha256');
  try {
    for (const chunk of chunks) {
      chunk.use(bytes => digest.update(bytes));
      // Yield to the event loop, or the process cannot receive signals.
      await setImmediate();
      if (cancel.aborted) return undefined;
    }
    return digest.digest('hex');
  } finally {
    close();
  }
}

function openPlanned(file: PlannedFile): number {
  const descriptor = callSystem(file, () => openSync(file.realPath, 'r'));
  const { size } = fstatSync(descriptor);
  if (size === file.size) return descriptor;
  closeSync(descriptor);
  throw fileError(file, `has ${size} bytes instead of the ${file.size} that were found`);
}

// Synchronous reads into one buffer are fastest, and safe: undici only asks for a chunk once the
// socket has released the previous one.
function* chunksOf(file: PlannedFile, descriptor: number): Generator<BorrowedChunk> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(file.size, CHUNK_BYTES));
  for (let read = 0; read < file.size; read += buffer.length) {
    const bytes = buffer.subarray(0, file.size - read);
    readInto(bytes, file, descriptor);
    yield lend(bytes);
  }
}

// readSync() may read less than requested.
function readInto(buffer: Buffer, file: PlannedFile, descriptor: number): void {
  for (let filled = 0; filled < buffer.length; ) {
    const missing = buffer.length - filled;
    const read = callSystem(file, () => readSync(descriptor, buffer, filled, missing, null));
    if (read === 0) throw fileError(file, `shrank by ${missing} bytes or more during the upload`);
    filled += read;
  }
}

function callSystem<T>(file: PlannedFile, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : fileError(file, `cannot be read (${code})`);
  }
}

function fileError({ realPath }: PlannedFile, problem: string): AgentError {
  return new AgentError('file-changed', `${realPath} ${problem}.`);
}
