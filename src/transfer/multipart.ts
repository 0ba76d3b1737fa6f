import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import { type BorrowedChunk, lend } from '../agent/borrowed-chunk.ts';
import { AgentError } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import { openFile, readSmallFile } from './read-file.ts';

export interface Body {
  readonly chunks: Iterable<BorrowedChunk>;
  /** Bytes, including the multipart framing. */
  readonly length: number;
  /** Each function returns a file's SHA-256 in hex; call it only after the body has been sent. */
  readonly digests: ReadonlyMap<PlannedFile, () => string>;
  readonly unreadable: ReadonlyMap<PlannedFile, AgentError>;
  readonly close: () => void;
}

type Form = ReturnType<typeof newForm>;

/** Creates a multipart/form-data form (RFC 7578) whose parts are all named `file`. */
export function newForm() {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    tail,
    // getBuffer() is quadratic in the number of parts, so each part gets its own form.
    head: (filename: string): Buffer => {
      const form = new FormData();
      form.setBoundary(boundary);
      // form-data's `filename` option drops folders.
      form.append('file', '', { filepath: filename, contentType: 'application/octet-stream' });
      return form.getBuffer().subarray(0, -tail.length);
    },
  };
}

const LINE_BREAK = Buffer.from('\r\n');

/** Reads small files into one body, skipping any that are unreadable or have changed in size. */
export function batchBody(files: readonly PlannedFile[], { head, tail }: Form): Body {
  const framed = files.map(file => ({ file, head: head(file.target) }));
  const sizes = framed.map(({ file, head }) => LINE_BREAK.length + head.length + file.size);
  // Never reuse this buffer: the socket may still read it after the answer has arrived.
  const buffer = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, tail.length));
  const digests = new Map<PlannedFile, () => string>();
  const unreadable = new Map<PlannedFile, AgentError>();
  let end = 0;
  for (const { file, head } of framed) {
    const start = digests.size > 0 ? end + LINE_BREAK.copy(buffer, end) : end;
    const contentStart = start + head.copy(buffer, start);
    const content = buffer.subarray(contentStart, contentStart + file.size);
    try {
      readSmallFile(file, content);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      unreadable.set(file, error);
      continue;
    }
    digests.set(file, () => hash('sha256', content));
    end = contentStart + file.size;
  }
  const chunks = [...slicesOf(buffer.subarray(0, end)), tail].map(lend);
  return { chunks, length: end + tail.length, digests, unreadable, close: () => {} };
}

/** @throws AgentError if the file cannot be opened or its size has changed */
export function fileBody(file: PlannedFile, form: Form, isHashed: boolean): Body {
  const { chunks: readChunks, close } = openFile(file);
  const digest = isHashed ? createHash('sha256') : undefined;
  const head = form.head(file.target);
  function* chunks(): Generator<BorrowedChunk> {
    yield lend(head);
    for (const chunk of readChunks()) {
      chunk.use(bytes => digest?.update(bytes));
      yield chunk;
    }
    // Send the tail separately: over TLS, a last chunk of 16 KiB or more may count as sent only
    // after the answer has arrived.
    yield lend(form.tail);
  }
  const length = head.length + file.size + form.tail.length;
  const digests = new Map([[file, () => digest?.digest('hex') ?? '']]);
  return { chunks: chunks(), length, digests, unreadable: new Map(), close };
}

// With `timeout: 60s`, 24 batches need only 0.2 Mbit/s, since each slice restarts the idle clock.
const SLICE_BYTES = 64 * 1024;

function slicesOf(buffer: Buffer): Buffer[] {
  const count = Math.ceil(buffer.length / SLICE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
  );
}
