import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import type { BorrowedBuffer } from '../agent/client.ts';
import type { PlannedFile } from '../files/plan.ts';
import { openFile, readWholeFile } from './read-file.ts';

/** Files sent in one request. */
export type Batch = readonly [PlannedFile, ...PlannedFile[]];

// Files up to this size are read into memory and sent from one buffer, which is faster than streaming.
const SMALL_BYTES = 256 * 1024;

const BATCH_BYTES = 1024 * 1024;

/**
 * Groups small files into batches of at most `filesPerRequest` files and 1 MiB. Each other file
 * gets its own request.
 */
export function batchesOf(files: readonly PlannedFile[], filesPerRequest: number): Batch[] {
  const batches: Batch[] = [];
  let open: { readonly files: PlannedFile[]; room: number } | undefined;
  for (const file of files) {
    const bytes = sizeInBatch(file);
    if (open && bytes <= open.room && open.files.length < filesPerRequest) {
      open.files.push(file);
      open.room -= bytes;
      continue;
    }
    const batch: [PlannedFile, ...PlannedFile[]] = [file];
    batches.push(batch);
    if (bytes <= BATCH_BYTES) open = { files: batch, room: BATCH_BYTES - bytes };
  }
  return batches;
}

// Upper bound for a part's boundary and headers, excluding the file name.
const FRAME_BYTES = 256;

/** Returns the most bytes that a file can take in a batch, or Infinity if it cannot be batched. */
function sizeInBatch({ target, size }: PlannedFile): number {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : Infinity;
}

// Names that every multipart parser we know reads the same way, and that form-data does not escape.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}

export interface Body {
  readonly chunks: Iterable<BorrowedBuffer>;
  /** Bytes, including the multipart framing. */
  readonly length: number;
  /** Returns the SHA-256 of each file in hex, or none if hashing is off. Call it after sending. */
  readonly digests: () => readonly string[];
}

// Unpredictable, so that no file can contain it.
const BOUNDARY = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
const LINE_BREAK = Buffer.from('\r\n');
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Returns what precedes a file (RFC 7578). All parts are named `file`. */
function headOf({ target }: PlannedFile): Buffer {
  // getBuffer() is quadratic in the number of parts, so each part gets its own form.
  const form = new FormData();
  form.setBoundary(BOUNDARY);
  // form-data's `filename` keeps only the base name; `filepath` keeps folders.
  form.append('file', '', { filepath: target, contentType: 'application/octet-stream' });
  return form.getBuffer().subarray(0, -TAIL.length);
}

/**
 * Reads small files, or opens a large one when its chunks are read.
 * @throws AgentError (from `chunks` for a large file) if a file cannot be read or its size has changed
 */
export function bodyOf(batch: Batch, isHashed: boolean): Body {
  const [file] = batch;
  return file.size > SMALL_BYTES ? streamedBody(file, isHashed) : bufferedBody(batch, isHashed);
}

function bufferedBody(files: Batch, isHashed: boolean): Body {
  const pieces: Buffer[] = [];
  const digests: string[] = [];
  for (const file of files) {
    const content = readWholeFile(file);
    if (isHashed) digests.push(hash('sha256', content));
    if (pieces.length > 0) pieces.push(LINE_BREAK);
    pieces.push(headOf(file), content);
  }
  const bytes = Buffer.concat(pieces);
  const chunks = [...slicesOf(bytes), TAIL];
  return { chunks, length: bytes.length + TAIL.length, digests: () => digests };
}

function streamedBody(file: PlannedFile, isHashed: boolean): Body {
  const head = headOf(file);
  const digest = isHashed ? createHash('sha256') : undefined;
  function* chunks(): Generator<BorrowedBuffer> {
    // Open the file first: the agent may replace the target as soon as it sees the head.
    using opened = openFile(file);
    yield head;
    for (const chunk of opened.chunks) {
      digest?.update(chunk);
      yield chunk;
    }
    // Send the tail separately: over TLS, a last chunk of 16 KiB (the size of a record, RFC 8446,
    // section 5.1) or more may count as sent only after the answer has arrived.
    yield TAIL;
  }
  const length = head.length + file.size + TAIL.length;
  const digests = () => (digest === undefined ? [] : [digest.digest('hex')]);
  return { chunks: chunks(), length, digests };
}

// Each slice restarts the idle clock: with `timeout: 60s`, 24 parallel batches need 0.2 Mbit/s.
const SLICE_BYTES = 64 * 1024;

function slicesOf(buffer: Buffer): Buffer[] {
  const count = Math.ceil(buffer.length / SLICE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
  );
}
