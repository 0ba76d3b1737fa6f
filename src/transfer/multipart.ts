import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import type { BorrowedBuffer } from '../agent/client.ts';
import type { PlannedFile } from '../files/plan.ts';
import { openFile, readWholeFile } from './read-file.ts';

export type Batch = readonly [PlannedFile, ...PlannedFile[]];

// Up to this size, sending from memory is faster than streaming.
const SMALL_BYTES = 256 * 1024;

const BATCH_BYTES = 1024 * 1024;

/**
 * Groups small files into batches of at most `filesPerRequest` files and 1 MiB. Each other file
 * gets its own request.
 */
export function batchesOf(files: readonly PlannedFile[], filesPerRequest: number): Batch[] {
  const batches: Batch[] = [];
  let open: PlannedFile[] = [];
  let room = 0;
  for (const file of files) {
    const bytes = canBatch(file) ? FRAME_BYTES + file.target.length + file.size : Infinity;
    if (bytes <= room && open.length < filesPerRequest) {
      open.push(file);
      room -= bytes;
      continue;
    }
    const batch: [PlannedFile, ...PlannedFile[]] = [file];
    batches.push(batch);
    if (bytes > BATCH_BYTES) continue;
    open = batch;
    room = BATCH_BYTES - bytes;
  }
  return batches;
}

// Upper bound for a part's boundary and headers, excluding the file name.
const FRAME_BYTES = 256;

// All multipart parsers we know read these names the same way, and form-data does not escape them.
function canBatch({ target, size }: PlannedFile): boolean {
  if (size > SMALL_BYTES || !/^[!-~](?:[ -~]*[!-~])?$/.test(target)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(target);
}

export interface Body {
  readonly chunks: Iterable<BorrowedBuffer>;
  /** Bytes, including the multipart framing. */
  readonly length: number;
  /** The SHA-256 of each file in hex, complete after sending; empty if hashing is off. */
  readonly digests: readonly string[];
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
  return { chunks: [...slicesOf(bytes), TAIL], length: bytes.length + TAIL.length, digests };
}

// Each slice restarts the idle clock: with `timeout: 60s`, 24 parallel batches need 0.2 Mbit/s.
const SLICE_BYTES = 64 * 1024;

function* slicesOf(buffer: Buffer): Generator<Buffer> {
  for (let start = 0; start < buffer.length; start += SLICE_BYTES)
    yield buffer.subarray(start, start + SLICE_BYTES);
}

function streamedBody(file: PlannedFile, isHashed: boolean): Body {
  const head = headOf(file);
  const digests: string[] = [];
  function* chunks(): Generator<BorrowedBuffer> {
    const digest = createHash('sha256');
    // Open the file first: the agent may replace the target as soon as it sees the head.
    using opened = openFile(file);
    yield head;
    for (const chunk of opened.chunks) {
      if (isHashed) digest.update(chunk);
      yield chunk;
    }
    if (isHashed) digests.push(digest.digest('hex'));
    // Send the tail separately: over TLS, a last chunk of 16 KiB (the size of a record, RFC 8446,
    // section 5.1) or more may count as sent only after the answer has arrived.
    yield TAIL;
  }
  return { chunks: chunks(), length: head.length + file.size + TAIL.length, digests };
}
