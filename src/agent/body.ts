import { hash } from 'node:crypto';
import { BUFFER_BYTES, readSmallFile } from './file.ts';
import { type Form, survives } from './form.ts';
import { openStream } from './stream.ts';

/** A file on the runner and where it goes in the sandbox. */
export interface UploadFile {
  /** Absolute path on the runner, its links resolved. */
  readonly realPath: string;
  /** POSIX path in the sandbox, absolute or relative to the user's home. */
  readonly target: string;
  /** Bytes, when the plan was made. */
  readonly size: number;
}

/** One file of a body. */
export interface Part {
  readonly file: UploadFile;
  /** Bytes of its content in the body. */
  readonly size: number;
  /** The SHA-256 of that content, in hexadecimal digits, once all of it was sent. */
  readonly sha256: () => string;
}

/** A request body of a known length, made from files as they are now. */
export interface Body {
  readonly parts: readonly Part[];
  readonly content: Buffer | AsyncIterable<Buffer>;
  /** Bytes of the body, frame included. */
  readonly length: number;
  /** Releases the files, and if all was `sent` and answered the buffers: after a failure the network may still read them. */
  readonly close: (sent: boolean) => Promise<void>;
}

/** The size of a body that several files share at most, in bytes. */
export const SHARED_BYTES = 1024 * 1024;

// A form's boundary and the fixed words of a part's header take less.
const FRAME_BYTES = 256;

/** The bytes that a file takes in a shared body at most, or undefined where its size or its name keeps it from sharing one. */
export function sharedBytes({ target, size }: UploadFile): number | undefined {
  return size <= BUFFER_BYTES && survives(target) ? FRAME_BYTES + target.length + size : undefined;
}

/**
 * Opens files as one body under a form: of several, those that can be read and fit. `hashed` says whether their parts are
 * asked for their hashes. @throws AgentError where a single one cannot be read.
 */
export function bodyOpener(form: Form, hashed: boolean): (files: readonly UploadFile[]) => Promise<Body> {
  const alone = bufferPool(BUFFER_BYTES);
  const shared = bufferPool(SHARED_BYTES);
  return async files => {
    const [file, ...others] = files;
    if (file === undefined || others.length > 0) return packed(files, form, shared);
    const body = file.size <= BUFFER_BYTES ? packed(files, form, alone) : undefined;
    if (body !== undefined && body.parts.length > 0) return body;
    await body?.close(true);
    return streamed(file, form, { pool: alone, hashed });
  };
}

type BufferPool = ReturnType<typeof bufferPool>;

/**
 * Buffers of one size that are used again, the one that was given back longest ago first: as many as are ever in use at
 * once. One for each file would be garbage that V8 is slow to collect.
 */
function bufferPool(size: number) {
  const free: Buffer[] = [];
  return {
    take: () => free.shift() ?? Buffer.allocUnsafeSlow(size),
    /** Gives back what nothing reads any more. */
    give: (buffer: Buffer) => void free.push(buffer),
  };
}

/** Files in one buffer, as many of them as can be read and fit. */
function packed(files: readonly UploadFile[], form: Form, pool: BufferPool): Body {
  const buffer = pool.take();
  const parts: Part[] = [];
  let end = 0;
  for (const file of files) {
    const head = form.head(file.target, parts.length > 0);
    const offset = end + head.length;
    const room = buffer.length - offset - form.tail.length;
    const size = room < 0 ? undefined : readSmallFile(file.realPath, buffer, { offset, room });
    if (size === undefined) continue;
    head.copy(buffer, end);
    end = offset + size;
    const content = buffer.subarray(offset, end);
    parts.push({ file, size, sha256: () => hash('sha256', content) });
  }
  form.tail.copy(buffer, end);
  const length = end + form.tail.length;
  const close = async (sent: boolean) => (sent ? pool.give(buffer) : undefined);
  return { parts, content: buffer.subarray(0, length), length, close };
}

async function streamed(
  file: UploadFile,
  form: Form,
  { pool, hashed }: { readonly pool: BufferPool; readonly hashed: boolean },
): Promise<Body> {
  const buffers = [pool.take(), pool.take()] as const;
  const { chunks, size, sha256, close } = await openStream(file.realPath, buffers, hashed);
  const head = form.head(file.target);
  return {
    parts: [{ file, size, sha256 }],
    content: framed(head, chunks, form.tail),
    length: head.length + size + form.tail.length,
    async close(sent) {
      await close();
      if (sent) for (const buffer of buffers) pool.give(buffer);
    },
  };
}

async function* framed(head: Buffer, chunks: AsyncIterable<Buffer>, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* chunks;
  yield tail;
}
