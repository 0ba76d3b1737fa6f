import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import type { PlannedFile } from '../files/plan.ts';
import { AgentError } from './failure.ts';
import { openFile, readSmallFile, SMALL_BYTES } from './read-file.ts';

export interface Part {
  readonly file: PlannedFile;
  /** Returns the hex digest, which is only valid once all content has been sent. */
  readonly sha256: () => string;
}

export interface Body {
  readonly parts: readonly Part[];
  readonly unreadable: ReadonlyMap<PlannedFile, AgentError>;
  readonly chunks: Iterable<Buffer>;
  /** Bytes, including the multipart framing. */
  readonly length: number;
  readonly close: () => void;
}

/** Encodes multipart/form-data (RFC 7578) with every part named `file`. */
export interface Form {
  readonly contentType: string;
  readonly head: (filename: string) => Buffer;
  readonly tail: Buffer;
}

/** Creates a form whose random boundary cannot occur in any file. */
export function newForm(): Form {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    tail,
    // getBuffer() is quadratic in parts, so each part gets its own form.
    head(filename) {
      const form = new FormData();
      form.setBoundary(boundary);
      // `filename` would drop the folders.
      form.append('file', '', { filepath: filename, contentType: 'application/octet-stream' });
      return form.getBuffer().subarray(0, -tail.length);
    },
  };
}

export const BATCH_BYTES = 1024 * 1024;

// Exceeds the boundary and headers of any part, not counting the file name.
const FRAME_BYTES = 256;

/** Returns an upper bound for a file's bytes in a batch, or undefined if it must be sent alone. */
export function batchBytes({ target, size }: PlannedFile): number | undefined {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : undefined;
}

// Every multipart parser reads these names alike, and form-data leaves them unchanged.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}

const LINE_BREAK = Buffer.from('\r\n');

/** Reads small files into one body, skipping any that are unreadable or have changed in size. */
export function batchBody(files: readonly PlannedFile[], form: Form): Body {
  const framed = files.map(file => ({ file, head: form.head(file.target) }));
  const bytes = framed.reduce(
    (sum, { file, head }) => sum + LINE_BREAK.length + head.length + file.size,
    form.tail.length,
  );
  // Never reuse this buffer: the network may still read it after the answer.
  const buffer = Buffer.allocUnsafeSlow(bytes);
  const parts: Part[] = [];
  const unreadable = new Map<PlannedFile, AgentError>();
  let end = 0;
  for (const { file, head } of framed) {
    const start = parts.length > 0 ? end + LINE_BREAK.copy(buffer, end) : end;
    const at = start + head.copy(buffer, start);
    const content = buffer.subarray(at, at + file.size);
    try {
      readSmallFile(file, content);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      unreadable.set(file, error);
      continue;
    }
    parts.push({ file, sha256: () => hash('sha256', content) });
    end = at + file.size;
  }
  const chunks = [...slicesOf(buffer.subarray(0, end)), form.tail];
  return { parts, unreadable, chunks, length: end + form.tail.length, close: () => {} };
}

/** @throws AgentError if the file cannot be read */
export function fileBody(file: PlannedFile, form: Form, isHashed: boolean): Body {
  const { chunks: read, close } = openFile(file);
  const digest = isHashed ? createHash('sha256') : undefined;
  const head = form.head(file.target);
  function* chunks(): Generator<Buffer> {
    yield head;
    for (const chunk of read()) {
      digest?.update(chunk);
      yield chunk;
    }
    // Send the tail separately: over TLS, the answer can arrive before a large last chunk is
    // released.
    yield form.tail;
  }
  const length = head.length + file.size + form.tail.length;
  const parts = [{ file, sha256: () => digest?.digest('hex') ?? '' }];
  return { parts, unreadable: new Map(), chunks: chunks(), length, close };
}

// Sending a slice restarts the idle clock, so 0.2 Mbit/s is enough for 24 batches.
const SLICE_BYTES = 64 * 1024;

function slicesOf(buffer: Buffer): Buffer[] {
  const count = Math.ceil(buffer.length / SLICE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
  );
}
