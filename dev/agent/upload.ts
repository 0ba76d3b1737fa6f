import { closeSync, writeSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Answer, Refusal, textAnswer } from './answer.ts';
import { readFiles } from './multipart.ts';
import { absolutePath, errorCode, homeOf, openForWriting } from './sandbox-path.ts';

/** One upload request. */
export interface Upload {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Readable;
  /** Collects the filenames of the parts named `file`, as they arrive. */
  readonly filenames: string[];
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
export async function receiveUpload(upload: Upload, root: string): Promise<Answer> {
  const { headers, query, body, filenames } = upload;
  const home = homeOf(query.get('username'));
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new Refusal(400, `error decompressing request body: unsupported encoding: ${encoding}`);
  const metadata = metadataOf(headers);
  const entries: Entry[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  await readFiles(body, headers['content-type'] ?? '', (filename, content) => {
    filenames.push(filename ?? '');
    content.on('error', fail).resume();
    if (failures.length > 0) return;
    attempt(() => {
      const given = query.get('path') ?? nameOf(filename);
      const path = absolutePath(given, home);
      if (entries.some(entry => entry.path === path)) throw sameTwice(path);
      writeContent(content, openForWriting(root, path), fail);
      entries.push({ ...metadata, name: posix.basename(path), path, type: 'file' });
    }, fail);
  });
  if (failures.length > 0) throw refusalOf(failures[0]);
  return textAnswer(JSON.stringify(entries));
}

/** Where a file goes without a `path`. */
function nameOf(filename: string | undefined): string {
  if (filename === undefined)
    throw new Refusal(
      400,
      'error resolving path: filename not found in Content-Disposition header',
    );
  return filename;
}

function sameTwice(path: string): Refusal {
  const problem = `you cannot upload multiple files to the same path '${path}' in one upload request`;
  return new Refusal(400, `${problem}, only the first specified file was uploaded`);
}

// Each pair is an extended attribute of the file, which ext4 keeps in a block of 4 KiB.
function metadataOf(headers: IncomingHttpHeaders): Pick<Entry, 'metadata'> {
  const prefix = 'x-metadata-';
  const names = Object.keys(headers).filter(name => name.startsWith(prefix));
  if (names.length === 0) return {};
  const pairs = names.toSorted().map(name => [name.slice(prefix.length), String(headers[name])]);
  const text = pairs.flat().join('');
  const size = text.length + pairs.length * 'user.e2b.'.length;
  if (size > 4096)
    throw new Refusal(400, `invalid metadata: total metadata size ${size} exceeds 4096 bytes`);
  return { metadata: Object.fromEntries(pairs) };
}

// Synchronous: a write into the page cache is cheaper than a trip through the thread pool.
function writeContent(content: Readable, file: number, onError: (error: unknown) => void): void {
  content.on('data', (chunk: Buffer) => {
    attempt(() => {
      for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done);
    }, onError);
  });
  content.on('end', () => closeSync(file));
}

function attempt(action: () => void, onError: (error: unknown) => void): void {
  try {
    action();
  } catch (error) {
    onError(error);
  }
}

function refusalOf(error: unknown): unknown {
  const isFull = ['ENOSPC', 'EDQUOT'].some(code => code === errorCode(error));
  return isFull ? new Refusal(507, 'not enough disk space available') : error;
}
