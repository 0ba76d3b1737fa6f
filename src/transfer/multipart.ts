import { createHash } from 'node:crypto';
import FormData from 'form-data';
import type { BorrowedBuffer } from '../agent/client.ts';
import type { PlannedFile } from '../files/plan.ts';
import { openFile } from './read-file.ts';

export type Batch = readonly [PlannedFile, ...PlannedFile[]];

// Sending larger files together would save little time.
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

// Unpredictable, so that no file can contain it.
const BOUNDARY = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
const LINE_BREAK = Buffer.from('\r\n');
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/**
 * Frames the files of a batch (RFC 7578). `digests` has the SHA-256 of each file in hex once all
 * `chunks` are read, which throw an AgentError if a file cannot be read or its size has changed.
 */
export function bodyOf(batch: Batch, isHashed: boolean) {
  const heads = batch.map(headOf);
  const digests: string[] = [];
  function* chunks(): Generator<BorrowedBuffer> {
    for (const [index, file] of batch.entries()) {
      // Open the file first: the agent may replace the target as soon as it sees the head.
      using opened = openFile(file);
      const digest = isHashed ? createHash('sha256') : undefined;
      // Send the head with the first chunk, since two writes for a small file would take longer.
      let head = heads[index];
      for (const chunk of opened.chunks) {
        digest?.update(chunk);
        yield head === undefined ? chunk : Buffer.concat([head, chunk]);
        head = undefined;
      }
      if (head !== undefined) yield head;
      if (digest !== undefined) digests.push(digest.digest('hex'));
    }
    // Send the tail separately: over TLS, a last chunk of 16 KiB (the size of a record, RFC 8446,
    // section 5.1) or more may count as sent only after the answer has arrived.
    yield TAIL;
  }
  const sizes = [...heads.map(head => head.length), ...batch.map(({ size }) => size)];
  const length = sizes.reduce((sum, size) => sum + size, TAIL.length);
  return { chunks: chunks(), length, digests };
}

/** Returns what precedes a file. All parts are named `file`. */
function headOf({ target }: PlannedFile, index: number): Buffer {
  // getBuffer() is quadratic in the number of parts, so each part gets its own form.
  const form = new FormData();
  form.setBoundary(BOUNDARY);
  // form-data's `filename` keeps only the base name; `filepath` keeps folders.
  form.append('file', '', { filepath: target, contentType: 'application/octet-stream' });
  const head = form.getBuffer().subarray(0, -TAIL.length);
  return index === 0 ? head : Buffer.concat([LINE_BREAK, head]);
}
