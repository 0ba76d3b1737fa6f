import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Refusal } from './answer.ts';

// Bytes that wait between socket and disk before the socket is paused.
const BUFFERED = 256 * 1024;

/**
 * Takes one part named `file`: its whole filename and its content, which must be consumed.
 */
export type FileHandler = (filename: string | undefined, content: Readable) => void;

/**
 * Reads a multipart/form-data body to its end and hands over its parts named `file`. Rejects with
 * 400 for another type of body, with 500 for a form that cannot be read or ends too early.
 */
export function readFiles(request: IncomingMessage, onFile: FileHandler): Promise<void> {
  const form = openForm(request.headers['content-type'] ?? '');
  form.on('file', (_field, content, filename) => {
    onFile(filename, content);
  });
  return new Promise((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', () => {
      reject(new Refusal(500, 'error reading form: unexpected EOF'));
    });
    feed(request, form);
  });
}

function openForm(contentType: string): BusboyInstance {
  const [, type] = /^multipart\/([\w-]*)/i.exec(contentType) ?? [];
  if (type === undefined) throw new Refusal(400, `unsupported content type: ${contentType}`);
  try {
    return new Busboy({
      // The reference agent reads multipart/mixed as if it were a form.
      headers: { 'content-type': contentType.replace(/^multipart\/mixed/i, 'multipart/form-data') },
      preservePath: true,
      isPartAFile: name => name === 'file',
      limits: { fieldSize: 0 },
      highWaterMark: BUFFERED,
      fileHwm: BUFFERED,
    });
  } catch (error) {
    throw new Refusal(500, `error parsing multipart form: ${String(error)}`);
  }
}

function feed(request: IncomingMessage, form: BusboyInstance): void {
  request.on('data', (chunk: Buffer) => {
    if (!form.write(chunk)) request.pause();
  });
  form.on('drain', () => {
    request.resume();
  });
  request.on('end', () => {
    form.end();
  });
  // If the client goes away, keep what arrived of its form, as for a form that is cut off.
  request.on('close', () => {
    if (!request.complete) form.end();
  });
}
