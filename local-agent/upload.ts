import { closeSync, writeSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Answer, Refusal } from './answer.ts';
import { readFiles } from './multipart.ts';
import { absolutePath, errorCode, homeOf, openForWriting } from './sandbox-path.ts';

/** Where uploads go, and how they are answered. */
export interface UploadRules {
  /** The real directory on disk that is the sandbox's `/`. */
  readonly root: string;
  /** Names that `username` may have; the first is the default. */
  readonly users: readonly string[];
  /** `object` answers the bare entry when exactly one file was stored. */
  readonly entryShape: 'array' | 'object';
  /** Without a `path`: where files go, and whether one request may bring several. */
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
  readonly path: string;
  readonly name: string;
  readonly type: 'file';
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Stores the files of the form as they arrive and answers their entries.
 * An error is answered when the form is read to its end; what was written until then stays.
 */
export async function receiveUpload(upload: Upload, rules: UploadRules): Promise<Answer> {
  const home = homeOf(knownUser(upload.query.get('username'), rules.users));
  const path = upload.query.get('path');
  const metadata = metadataOf(upload.request.headers);
  const entries: Entry[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => failures.push(error);
  await readFiles(upload.request, (filename, content) => {
    upload.filenames.push(filename);
    content.on('error', fail).resume();
    if (failures.length > 0) return;
    attempt(() => {
      const target = absolutePath(targetPath({ path, filename, earlier: entries.length }, rules), home);
      if (upload.store) writeContent(content, openForWriting(rules.root, target), fail);
      entries.push({ path: target, name: posix.basename(target), type: 'file', ...metadata });
    }, fail);
  });
  if (failures.length > 0) throw refusalOf(failures[0]);
  return entriesAnswer(entries, rules.entryShape);
}

function knownUser(username: string | null, users: readonly string[]): string {
  const user = username ?? users[0];
  if (user !== undefined && user !== '' && users.includes(user)) return user;
  throw new Refusal(401, `The user is not known: ${user}`);
}

function targetPath(
  { path, filename, earlier }: { path: string | null; filename: string; earlier: number },
  { withoutPath }: UploadRules,
): string {
  if (earlier > 0 && (path !== null || withoutPath === 'one file')) {
    throw new Refusal(400, 'Several files cannot share one request');
  }
  return path ?? (withoutPath === 'last part of filename' ? posix.basename(filename) : filename);
}

function metadataOf(headers: IncomingHttpHeaders): Pick<Entry, 'metadata'> {
  const prefix = 'x-metadata-';
  const names = Object.keys(headers).filter(name => name.startsWith(prefix));
  if (names.length === 0) return {};
  return {
    metadata: Object.fromEntries(names.map(name => [name.slice(prefix.length), String(headers[name])])),
  };
}

// Synchronous, as a write into the page cache costs less than a trip through the thread pool.
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
  if (code === 'EISDIR') return new Refusal(400, 'The path is a directory');
  if (code === 'ENOSPC' || code === 'EDQUOT') return new Refusal(507, 'No space is left in the sandbox');
  return error instanceof Error ? error : new Refusal(500, String(error));
}

// Real agents do not name the type, so that it is taken for plain text.
function entriesAnswer(entries: readonly Entry[], shape: UploadRules['entryShape']): Answer {
  const bare = shape === 'object' && entries.length === 1 ? entries[0] : entries;
  return {
    status: 200,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: JSON.stringify(bare),
  };
}
