import { createHash, hash } from 'node:crypto';
import type { Connection } from '../inputs/connection.ts';
import { storedPath, storedPaths } from './acknowledgement.ts';
import { BUFFER_BYTES, type FileBody, openBody } from './body.ts';
import { type BufferPool, bufferPool } from './buffer-pool.ts';
import type { Exchange } from './exchange.ts';
import { type Form, openForm } from './form.ts';
import type { HttpAnswer } from './http.ts';
import { SHARED_BYTES, shareBody } from './shared-body.ts';

/** A file on the runner and where it goes in the sandbox. */
export interface UploadFile {
  /** Absolute path on the runner, its links resolved. */
  readonly realPath: string;
  /** POSIX path in the sandbox, absolute or relative to the user's home. */
  readonly target: string;
  /** Bytes, when the plan was made. */
  readonly size: number;
}

/** What the agent acknowledged. */
export interface StoredFile {
  /** The path as the agent returned it. */
  readonly path: string;
  /** Bytes of the file that were sent. */
  readonly size: number;
  /** The SHA-256 of those bytes, in hexadecimal digits, where the client was to hash them. */
  readonly sha256?: string;
}

/** How every file is uploaded. */
export interface UploadOptions {
  /** Query parameters beside `path`. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether to hash what is sent. */
  readonly hashed?: boolean | undefined;
}

/** The ways to store files, one attempt each. `onSent` is told the bytes of a body as they leave, frame included. */
export interface Uploads {
  /** Stores a file. */
  readonly upload: (file: UploadFile, onSent: (bytes: number) => void) => Promise<StoredFile>;
  /**
   * Stores small files with one request that leaves it to their filenames where they go. Returns what became of each, in
   * order: `not-sent` is one that could not be read, or not be put with the others any more.
   */
  readonly uploadTogether: (
    files: readonly UploadFile[],
    onSent: (bytes: number) => void,
  ) => Promise<readonly SharedOutcome[]>;
}

/** What became of one of several files that shared a request. */
export type SharedOutcome = StoredFile | 'not-sent';

/** Uploads over an exchange. */
export function uploads(
  { uploadPath }: Connection,
  { query, hashed = false }: UploadOptions,
  exchange: Exchange,
): Uploads {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const sharedPath = parameters.length === 0 ? uploadPath : `${uploadPath}?${parameters.join('&')}`;
  const pathFor = ({ target }: UploadFile) =>
    `${uploadPath}?${[`path=${encodeURIComponent(target)}`, ...parameters].join('&')}`;
  const pools = { pool: bufferPool(BUFFER_BYTES), sharedPool: bufferPool(SHARED_BYTES) };
  const way = { exchange, hashed, form: openForm(), ...pools };
  return {
    upload: (file, onSent) => uploadAlone(file, way, { path: pathFor(file), onSent }),
    uploadTogether: (files, onSent) => uploadTogether(files, way, { path: sharedPath, onSent }),
  };
}

/** What all uploads share. */
interface Way {
  readonly exchange: Exchange;
  /** Whether to hash what is sent. */
  readonly hashed: boolean;
  readonly form: Form;
  readonly pool: BufferPool;
  readonly sharedPool: BufferPool;
}

/** Where one upload goes, and who is told of its bytes. */
interface Request {
  readonly path: string;
  readonly onSent: (bytes: number) => void;
}

async function uploadAlone(file: UploadFile, way: Way, request: Request): Promise<StoredFile> {
  const frame = { head: way.form.head(file.target), tail: way.form.tail };
  const digest = way.hashed ? createHash('sha256') : undefined;
  const onContent = digest && ((piece: Buffer) => void digest.update(piece));
  const source = { path: file.realPath, plannedSize: file.size, frame, pool: way.pool, onContent };
  const { body, length, fileBytes, close } = await openBody(source);
  let sent = false;
  try {
    const answer = await post(way, { ...request, body, length });
    const stored = { path: way.exchange.redact(storedPath(answer, file.target)), size: fileBytes };
    sent = true;
    return digest === undefined ? stored : { ...stored, sha256: digest.digest('hex') };
  } finally {
    await close(sent);
  }
}

async function uploadTogether(
  files: readonly UploadFile[],
  way: Way,
  request: Request,
): Promise<readonly SharedOutcome[]> {
  const buffer = way.sharedPool.take();
  const { body, parts } = shareBody(files, way.form, buffer);
  if (parts.length === 0) return files.map(() => 'not-sent');
  const answer = await post(way, { ...request, body, length: body.length });
  const targets = parts.map(({ file }) => file.target);
  const paths = storedPaths(answer, targets).values();
  const byFile = new Map(
    parts.map(({ file, content }) => [file, stored(paths.next().value ?? '', content, way)]),
  );
  // After a failure the network may still read from the buffer, so it is given back here alone.
  way.sharedPool.give(buffer);
  return files.map(file => byFile.get(file) ?? 'not-sent');
}

function stored(path: string, content: Buffer, { exchange, hashed }: Way): StoredFile {
  const file = { path: exchange.redact(path), size: content.length };
  return hashed ? { ...file, sha256: hash('sha256', content) } : file;
}

function post(
  { exchange, form }: Way,
  request: Request & Pick<FileBody, 'body' | 'length'>,
): Promise<HttpAnswer> {
  const { path, body, length, onSent } = request;
  const headers = { 'Content-Type': form.contentType, 'Content-Length': String(length) };
  return exchange.send({ method: 'POST', path, headers, body, onSent });
}
