import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import type { PlannedFile } from '../files/plan.ts';
import { AgentError } from './failure.ts';
import { openFile, readSmallFile } from './read-file.ts';

export interface Body {
  readonly chunks: Iterable<Buffer>;
  /** Bytes, including the multipart framing. */
  readonly length: number;
  /** The hex digest of each file in the body, which is only valid once all content has been sent. */
  readonly digests: ReadonlyMap<PlannedFile, () => string>;
  readonly unreadable: ReadonlyMap<PlannedFile, AgentError>;
  readonly close: () => void;
}

export type Form = ReturnType<typeof newForm>;

/**
 * Creates a form of multipart/form-data (RFC 7578) with every part named `file`. Its random boundary
 * cannot occur in any file.
 */
export function newForm() {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    tail,
    // getBuffer() is quadratic in parts, so each part gets its own form.
    head: (filename: string): Buffer => {
      const form = new FormData();
      form.setBoundary(boundary);
      // `filename` would drop the folders.
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
  // Never reuse this buffer: the network may still read it after the answer.
  const buffer = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, tail.length));
  const digests = new Map<PlannedFile, () => string>();
  const unreadable = new Map<PlannedFile, AgentError>();
  let end = 0;
  for (const { file, head } of framed) {
    const start = digests.size > 0 ? end + LINE_BREAK.copy(buffer, end) : end;
    const at = start + head.copy(buffer, start);
    const content = buffer.subarray(at, at + file.size);
    try {
      readSmallFile(file, content);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      unreadable.set(file, error);
      continue;
    }
    digests.set(file, () => hash('sha256', content));
    end = at + file.size;
  }
  const chunks = [...slicesOf(buffer.subarray(0, end)), tail];
  return { chunks, length: end + tail.length, digests, unreadable, close: () => {} };
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
  const digests = new Map([[file, () => digest?.digest('hex') ?? '']]);
  return { chunks: chunks(), length, digests, unreadable: new Map(), close };
}

// Sending a slice restarts the idle clock, so 0.2 Mbit/s is enough for 24 batches.
const SLICE_BYTES = 64 * 1024;

function slicesOf(buffer: Buffer): Buffer[] {
  const count = Math.ceil(buffer.length / SLICE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
  );
}
