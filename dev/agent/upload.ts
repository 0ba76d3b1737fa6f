import { closeSync, writeSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Answer, Refusal, TEXT } from './answer.ts';
import { readFiles } from './multipart.ts';
import { absolutePath, errorCode, homeOf, knownUser, openForWriting } from './sandbox-path.ts';

/** Where uploads go, and how they are answered. */
export interface UploadRules {
  /** The real directory on disk that is the sandbox's `/`. */
  readonly root: string;
  /** Names that `username` may have; the first is the default. */
  readonly users: readonly string[];
  /** `object` answers the bare entry when exactly one file was stored. */
  readonly entryShape: 'array' | 'object';
  /** Where files without a `path` go, and whether one request may bring several. */
  readonly withoutPath: 'whole filename' | 'last part of filename' | 'one file';
}

/** One upload request. */
export interface Upload {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** Collects the filenames of the parts named `file`, as they arrive. */
  readonly filenames: string[];
  /** False reads the form and answers as usual, but leaves the disk alone. */
  readonly store: boolean;
}

interface Entry {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly path: string;
  readonly type: 'file';
}

/**
 * Stores files as they arrive and lists them. An error is sent once the form has been read; what
 * was written by then stays.
 */
export async function receiveUpload(upload: Upload, rules: UploadRules): Promise<Answer> {
  const home = homeOf(knownUser(upload.query.get('username'), rules.users));
  const encoding = upload.request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new Refusal(
      400,
      `error decompressing request body: unsupported Content-Encoding: ${encoding}`,
    );
  const path = upload.query.get('path');
  const metadata = metadataOf(upload.request.headers);
  const entries: Entry[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => failures.push(error);
  await readFiles(upload.request, (filename, content) => {
    upload.filenames.push(filename ?? '');
    content.on('error', fail).resume();
    if (failures.length > 0) return;
    attempt(() => {
      const given = path ?? nameOf(filename, entries.length, rules);
      const target = absolutePath(given, home);
      if (entries.some(entry => entry.path === target)) throw sameTwice(target);
      if (upload.store) writeContent(content, openForWriting(rules.root, target), fail);
      entries.push({ ...metadata, name: posix.basename(target), path: target, type: 'file' });
    }, fail);
  });
  if (failures.length > 0) throw refusalOf(failures[0]);
  return entriesAnswer(entries, rules.entryShape);
}

/** Where a file goes without a `path`. */
function nameOf(
  filename: string | undefined,
  earlier: number,
  { withoutPath }: UploadRules,
): string {
  if (filename === undefined)
    throw new Refusal(
      400,
      'error resolving path: filename not found in Content-Disposition header',
    );
  if (earlier > 0 && withoutPath === 'one file')
    throw new Refusal(400, 'Several files cannot share one request');
  return withoutPath === 'last part of filename' ? posix.basename(filename) : filename;
}

function sameTwice(path: string): Refusal {
  const problem = `you cannot upload multiple files to the same path '${path}' in one upload request`;
  return new Refusal(400, `${problem}, only the first specified file was uploaded`);
}

function metadataOf(headers: IncomingHttpHeaders): Pick<Entry, 'metadata'> {
  const prefix = 'x-metadata-';
  const names = Object.keys(headers).filter(name => name.startsWith(prefix));
  if (names.length === 0) return {};
  const pairs = names
    .toSorted()
    .map(name => [name.slice(prefix.length), String(headers[name])] as const);
  checkMetadata(pairs);
  return { metadata: Object.fromEntries(pairs) };
}

// Each pair is an extended attribute of the file, which ext4 keeps in a block of 4 KiB.
function checkMetadata(pairs: readonly (readonly [key: string, value: string])[]): void {
  const text = pairs.flat().join('');
  if (!/^[\x20-\x7e]*$/.test(text))
    throw new Refusal(400, 'invalid metadata: it contains a non-printable-ASCII byte');
  const size = text.length + pairs.length * 'user.e2b.'.length;
  if (size > 4096)
    throw new Refusal(400, `invalid metadata: total metadata size ${size} exceeds 4096 bytes`);
}

// Synchronous: a write into the page cache is cheaper than a trip through the thread pool.
function writeContent(content: Readable, file: number, onError: (error: unknown) => void): void {
  content.on('data', (chunk: Buffer) => {
    attempt(() => {
      for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
    }, onError);
  });
  content.on('end', () => {
    closeSync(file);
  });
}

function attempt(action: () => void, onError: (error: unknown) => void): void {
  try {
    action();
  } catch (error) {
    onError(error);
  }
}

function refusalOf(error: unknown): Error {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Refusal(507, 'not enough disk space available');
  return error instanceof Error ? error : new Refusal(500, String(error));
}

// The reference agent sets no type, so Go detects text.
function entriesAnswer(entries: readonly Entry[], shape: UploadRules['entryShape']): Answer {
  const bare = shape === 'object' && entries.length === 1 ? entries[0] : entries;
  return { status: 200, headers: TEXT, body: JSON.stringify(bare) };
}
