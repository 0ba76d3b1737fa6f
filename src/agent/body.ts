import { hash } from 'node:crypto';
import FormData from 'form-data';
import { type LocalFile, openFile, readSmallFile, SMALL_BYTES } from './read-file.ts';

/** A file on the runner and where it goes in the sandbox. */
export interface UploadFile extends LocalFile {
  /** POSIX path in the sandbox, absolute or relative to the user's home. */
  readonly target: string;
  /** Bytes, when the file was found. */
  readonly size: number;
}

export interface Part {
  readonly file: UploadFile;
  /** Bytes of its content in the body. */
  readonly size: number;
  /** SHA-256 of that content in hexadecimal digits, once all of it was sent. */
  readonly sha256: () => string;
}

export interface Body {
  readonly parts: readonly Part[];
  readonly chunks: AsyncIterable<Buffer>;
  /** Bytes of the body, multipart framing included. */
  readonly length: number;
  readonly close: () => Promise<void>;
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
      const options = { filepath: filename, contentType: 'application/octet-stream' };
      form.append('file', '', options);
      return form.getBuffer().subarray(0, -tail.length);
    },
  };
}

const LINE_BREAK = Buffer.from('\r\n');

export const BATCH_BYTES = 1024 * 1024;

// More than the boundary and headers of a part, without its file name.
const FRAME_BYTES = 256;

/** The most bytes that a file takes in a batch; undefined if it must go alone. */
export function batchBytes({ target, size }: UploadFile): number | undefined {
  if (size > SMALL_BYTES || !isPlainFilename(target)) return undefined;
  return FRAME_BYTES + target.length + size + 1;
}

// Every multipart parser reads such a name alike, and form-data does not change it.
function isPlainFilename(filename: string): boolean {
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}

/** Opens one file as a body. @throws AgentError if it cannot be read */
export async function openBody(file: UploadFile, form: Form, isHashed: boolean): Promise<Body> {
  const body = file.size <= SMALL_BYTES ? readBatch([file], form) : undefined;
  return body?.parts.length === 1 ? body : streamFile(file, form, isHashed);
}

/** Reads small files into one body. Files that cannot be read, or no longer fit, are not in it. */
export function readBatch(files: readonly UploadFile[], form: Form): Body {
  const framed = files.map(file => ({ file, head: form.head(file.target) }));
  const framing = framed.reduce((sum, { head }) => sum + head.length + LINE_BREAK.length, 0);
  // A byte to spare for each file, to notice that it has grown.
  const content = files.reduce((sum, { size }) => sum + size + 1, 0);
  // Used by this request alone: the network may still read it after the answer.
  const buffer = Buffer.allocUnsafeSlow(framing + content + form.tail.length);
  const parts: Part[] = [];
  let end = 0;
  for (const { file, head } of framed) {
    const start = parts.length > 0 ? end + LINE_BREAK.copy(buffer, end) : end;
    const offset = start + head.copy(buffer, start);
    const size = readSmallFile(file, buffer.subarray(0, -form.tail.length), offset);
    if (size === undefined) continue;
    end = offset + size;
    const stored = buffer.subarray(offset, end);
    parts.push({ file, size, sha256: () => hash('sha256', stored) });
  }
  end += form.tail.copy(buffer, end);
  return { parts, chunks: slicesOf(buffer.subarray(0, end)), length: end, close: async () => {} };
}

async function streamFile(file: UploadFile, form: Form, isHashed: boolean): Promise<Body> {
  const opened = await openFile(file, isHashed);
  const head = form.head(file.target);
  const { size, sha256, close } = opened;
  async function* chunks(): AsyncGenerator<Buffer> {
    yield head;
    yield* opened.chunks();
    yield form.tail;
  }
  const length = head.length + size + form.tail.length;
  return { parts: [{ file, size, sha256 }], chunks: chunks(), length, close };
}

// Each slice sent counts as progress: 24 batches with a slice a minute need 0.2 Mbit/s.
const SLICE_BYTES = 64 * 1024;

async function* slicesOf(buffer: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < buffer.length; start += SLICE_BYTES)
    yield buffer.subarray(start, start + SLICE_BYTES);
}
