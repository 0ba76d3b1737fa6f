import { createHash, hash } from 'node:crypto';
import FormData from 'form-data';
import type { PlannedFile } from '../files/plan.ts';
import { AgentError } from './failure.ts';
import { openFile, readSmallFile, SMALL_BYTES } from './read-file.ts';

export interface Part {
  readonly file: PlannedFile;
  /** SHA-256 of the content in hexadecimal digits, once all of it was sent. */
  readonly sha256: () => string;
}

export interface Body {
  readonly parts: readonly Part[];
  /** The files of a batch that could not be read, so that they are no parts. */
  readonly unreadable: ReadonlyMap<PlannedFile, AgentError>;
  readonly chunks: Iterable<Buffer>;
  /** Bytes of the body, multipart framing included. */
  readonly length: number;
  readonly close: () => void;
}

/** A multipart/form-data encoding (RFC 7578) whose parts are all named `file`. */
export interface Form {
  readonly contentType: string;
  /** What comes before the content of a part. */
  readonly head: (filename: string) => Buffer;
  /** What comes after the last part. */
  readonly tail: Buffer;
}

/** Creates a form with a random boundary, which no content can contain. */
export function newForm(): Form {
  const boundary = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    tail,
    // A form for each part, since getBuffer is quadratic in parts.
    head(filename) {
      const form = new FormData();
      form.setBoundary(boundary);
      // Only `filepath` keeps folders.
      form.append('file', '', { filepath: filename, contentType: 'application/octet-stream' });
      return form.getBuffer().subarray(0, -tail.length);
    },
  };
}

export const BATCH_BYTES = 1024 * 1024;

// More than the boundary and headers of a part, without its file name.
const FRAME_BYTES = 256;

/** The most bytes that a file takes in a batch; undefined if it must go alone. */
export function batchBytes({ target, size }: PlannedFile): number | undefined {
  const canBatch = size <= SMALL_BYTES && isPlainFilename(target);
  return canBatch ? FRAME_BYTES + target.length + size : undefined;
}

// Every multipart parser reads such a name alike, and form-data does not change it.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}

const LINE_BREAK = Buffer.from('\r\n');

/** Reads small files into one body, without those that cannot be read. */
export function batchBody(files: readonly PlannedFile[], form: Form): Body {
  const framed = files.map(file => ({ file, head: form.head(file.target) }));
  const bytes = framed.reduce(
    (sum, { file, head }) => sum + LINE_BREAK.length + head.length + file.size,
    form.tail.length,
  );
  // Used by this request alone: the network may still read it after the answer.
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

/** Streams one file as a body. @throws AgentError if the file cannot be read */
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
    // Over TLS, an honest answer may come before the network has let go of a large last chunk.
    yield form.tail;
  }
  const length = head.length + file.size + form.tail.length;
  const parts = [{ file, sha256: () => digest?.digest('hex') ?? '' }];
  return { parts, unreadable: new Map(), chunks: chunks(), length, close };
}

// Each slice sent counts as progress: 24 batches with a slice a minute need 0.2 Mbit/s.
const SLICE_BYTES = 64 * 1024;

function slicesOf(buffer: Buffer): Buffer[] {
  const count = Math.ceil(buffer.length / SLICE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES),
  );
}
