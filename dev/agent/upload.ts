import { closeSync, writeSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Answer, refuse, textAnswer } from './answer.ts';
import { readFiles } from './multipart.ts';
import { errorCode, expandPath, homeOf, openForWriting } from './sandbox-path.ts';

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly type: 'file';
}

/**
 * Stores files as they arrive and lists them. An error is sent once the form has been read; what
 * was written by then stays.
 */
export async function receiveUpload(
  request: IncomingMessage,
  query: URLSearchParams,
  root: string,
): Promise<Answer> {
  const home = homeOf(query.get('username'));
  const entries: Entry[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => void failures.push(error);
  await readFiles(request, (filename, content) => {
    content.on('error', fail).resume();
    if (failures.length > 0) return;
    attempt(() => {
      const path = expandPath(query.get('path') ?? filename, home);
      if (entries.some(entry => entry.path === path))
        throw refuse(400, `you cannot upload multiple files to the same path '${path}'`);
      writeContent(content, openForWriting(root, path), fail);
      entries.push({ name: posix.basename(path), path, type: 'file' });
    }, fail);
  });
  if (failures.length > 0) throw refusalOf(failures[0]);
  return textAnswer(JSON.stringify(entries));
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
  return isFull ? refuse(507, 'not enough disk space available') : error;
}
