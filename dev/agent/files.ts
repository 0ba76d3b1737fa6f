import { once } from 'node:events';
import { closeSync, createReadStream, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, posix } from 'node:path';
import { finished, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { type Answer, errorAnswer, refuse, textAnswer } from './answer.ts';
import { pathOf, toHostPath } from './sandbox-path.ts';

// Serves `/files`. `root` is the directory on this machine that is the sandbox's `/`.

// Bytes to buffer between socket and disk before pausing the socket.
const BUFFERED = 256 * 1024;

export async function sendFile(
  root: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(query);
  const place = toHostPath(root, path);
  const stats = statSync(place, { throwIfNoEntry: false });
  if (!stats) throw refuse(404, `path '${path}' does not exist`);
  if (stats.isDirectory()) throw refuse(400, `path '${path}' is a directory`);
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Length', stats.size);
  // If the file grows meanwhile, stop at the announced Content-Length.
  const end = Math.max(0, stats.size - 1);
  await pipeline(createReadStream(place, { end }), response);
}

/**
 * Stores files as they arrive and lists them in its answer. After an error, reads the rest of the
 * form before answering, and keeps what was already written.
 * @throws Error if the form cannot be read (see `readFiles`)
 */
export async function receiveUpload(
  request: IncomingMessage,
  query: URLSearchParams,
  root: string,
): Promise<Answer> {
  const entries = new Map<string, object>();
  let failure: unknown;
  await readFiles(request, (filename, content) => {
    if (failure !== undefined) return;
    try {
      const path = pathOf(query, filename);
      if (entries.has(path))
        throw refuse(400, `you cannot upload multiple files to the same path '${path}'`);
      const file = openForWriting(root, path);
      entries.set(path, { name: posix.basename(path), path, type: 'file' });
      // Write synchronously, since the page cache is cheaper than the thread pool.
      content.on('data', (chunk: Buffer) => writeFileSync(file, chunk));
      finished(content, () => closeSync(file));
    } catch (error) {
      failure = error;
    }
  });
  if (failure !== undefined) return errorAnswer(failure);
  return textAnswer(JSON.stringify([...entries.values()]));
}

/**
 * Reads a whole form and passes on the filename and content of each part named `file`.
 * @throws Error if the body is not a form, or is malformed or cut off
 */
export async function readFiles(
  request: IncomingMessage,
  onFile: (filename: string, content: Readable) => void,
): Promise<void> {
  const form = new Busboy({
    headers: { 'content-type': request.headers['content-type'] ?? '' },
    preservePath: true,
    isPartAFile: name => name === 'file',
    highWaterMark: BUFFERED,
    fileHwm: BUFFERED,
  });
  form.on('file', (_field, content, filename) => {
    // Ignore the part's error: `form` emits it, too.
    content.on('error', () => {}).resume();
    onFile(filename, content);
  });
  // If the client disconnects, keep the part of the form that has arrived.
  request.on('close', () => void (form.writableEnded || form.end())).pipe(form);
  await once(form, 'finish');
}

/** Opens a file, or refuses in the words of envd and of Linux. @throws Refusal */
function openForWriting(root: string, path: string): number {
  const file = toHostPath(root, path);
  const existing = statSync(file, { throwIfNoEntry: false });
  if (path.endsWith('/') || existing?.isDirectory())
    throw refuse(400, `path is a directory: ${path}`);
  const notOpened = (why: string) => refuse(500, `error opening file: open ${path}: ${why}`);
  if (path.startsWith('/sys/')) throw notOpened('read-only file system');
  // Even root may not overwrite the file of another user in /tmp (fs.protected_regular).
  if (existing && posix.dirname(path) === '/tmp') throw notOpened('permission denied');
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch {
    throw refuse(500, `error ensuring directories: path is a file: ${dirname(path)}`);
  }
  try {
    // Real agents create files as 0644 and keep the mode of existing ones.
    return openSync(file, 'w', 0o644);
  } catch (error) {
    throw String(error).includes('ETXTBSY') ? notOpened('text file busy') : error;
  }
}
