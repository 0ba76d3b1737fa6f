import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import FormData from 'form-data';
import type { BorrowedBuffer } from '../agent/client.ts';
import { AgentError, wrapSystemErrors } from '../agent/failure.ts';
import type { PlannedFile } from '../files/targets.ts';

// Unpredictable, so that no file can contain it.
const BOUNDARY = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
const LINE_BREAK = Buffer.from('\r\n');
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface UploadBody {
  readonly chunks: Iterable<BorrowedBuffer>;
  readonly length: number;
  /** SHA-256 of the files. Grows while `chunks` is read; stays empty if hashing is off. */
  readonly digests: readonly string[];
}

/** Frames the files of a batch (RFC 7578). */
export function bodyOf(batch: readonly PlannedFile[], isHashed: boolean): UploadBody {
  const heads = batch.map(headOf);
  const digests: string[] = [];
  function* chunks(): Generator<BorrowedBuffer> {
    for (const [index, file] of batch.entries()) {
      const digest = isHashed ? createHash('sha256') : undefined;
      // Send the head with the first chunk: two writes for a small file would take longer, and the
      // agent may replace the target as soon as it sees the head, so the file must be open by then.
      let head = heads[index];
      for (const chunk of readChunks(file)) {
        digest?.update(chunk);
        yield head === undefined ? chunk : Buffer.concat([head, chunk]);
        head = undefined;
      }
      if (head !== undefined) yield head;
      if (digest !== undefined) digests.push(digest.digest('hex'));
    }
    // Send the tail separately: over TLS, a last chunk of 16 KiB (the size of a record, RFC 8446,
    // section 5.1) or more may only count as sent after the response.
    yield TAIL;
  }
  const sizes = [...heads.map(head => head.length), ...batch.map(({ size }) => size)];
  const length = sizes.reduce((sum, size) => sum + size, TAIL.length);
  return { chunks: chunks(), length, digests };
}

function headOf({ target }: PlannedFile, index: number): Buffer {
  // getBuffer() is quadratic in the number of parts, so each part gets its own form.
  const form = new FormData();
  form.setBoundary(BOUNDARY);
  // form-data's `filename` keeps only the base name; `filepath` keeps folders.
  form.append('file', '', { filepath: target, contentType: 'application/octet-stream' });
  const head = form.getBuffer().subarray(0, -TAIL.length);
  return index === 0 ? head : Buffer.concat([LINE_BREAK, head]);
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Returns the SHA-256 in hex, or undefined if `cancel` aborts.
 * @throws AgentError if the file cannot be read or its size has changed
 */
export async function hashFile(
  file: PlannedFile,
  cancel: AbortSignal,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  for (const chunk of readChunks(file)) {
    digest.update(chunk);
    // Yield to the event loop, or the process cannot receive signals.
    await setImmediate();
    if (cancel.aborted) return undefined;
  }
  return digest.digest('hex');
}

/**
 * Opens the file on the first `next()`, and closes it at the end.
 * @throws AgentError if the file cannot be read or its size has changed
 */
export function* readChunks(file: PlannedFile): Generator<BorrowedBuffer> {
  const descriptor = wrapReadErrors(file, () => openSync(file.realPath, 'r'));
  try {
    const { size } = fstatSync(descriptor);
    if (size !== file.size)
      throw fileError(file, `has ${size} bytes instead of the ${file.size} that were found`);
    // Read synchronously into one reused buffer, which saves a fifth of the time and most of the
    // memory. Every chunk but the last must fill the socket's buffer (64 KiB for TCP and 16 KiB for
    // TLS, set in undici's lib/core/connect.js), or undici asks for the next one, which overwrites
    // this one unsent.
    const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
    for (let sent = 0; sent < size; sent += buffer.length) {
      const chunk = buffer.subarray(0, size - sent);
      fill(chunk, file, descriptor);
      yield chunk;
    }
  } finally {
    closeSync(descriptor);
  }
}

// Network file systems may return fewer bytes than readSync() asks for.
function fill(chunk: Buffer, file: PlannedFile, descriptor: number): void {
  for (let filled = 0; filled < chunk.length; ) {
    const missing = chunk.length - filled;
    const read = wrapReadErrors(file, () => readSync(descriptor, chunk, filled, missing, null));
    if (read === 0) throw fileError(file, 'shrank during the upload');
    filled += read;
  }
}

function wrapReadErrors<T>({ realPath }: PlannedFile, call: () => T): T {
  return wrapSystemErrors('file-changed', `${realPath} cannot be read`, call);
}

function fileError({ realPath }: PlannedFile, problem: string): AgentError {
  return new AgentError('file-changed', `${realPath} ${problem}.`);
}
