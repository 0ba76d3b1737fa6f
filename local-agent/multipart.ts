import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Refusal } from './answer.ts';

// Bytes that may wait between socket and disk before the socket is paused.
const BUFFERED = 256 * 1024;

/**
 * Takes one part named `file`: its whole filename ('' without one) and its content, which must be consumed.
 */
export type FileHandler = (filename: string, content: Readable) => void;

/**
 * Reads a multipart/form-data body to its end and hands over its parts named `file`.
 * Rejects with 400 when it is not such a form, with 500 when it ends too early.
 */
export function readFiles(request: IncomingMessage, onFile: FileHandler): Promise<void> {
  const form = openForm(request.headers['content-type'] ?? '');
  form.on('file', (_field, content, filename) => {
    onFile(filename ?? '', content);
  });
  return new Promise((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', () => {
      reject(new Refusal(500, 'The form ended too early'));
    });
    feed(request, form);
  });
}

function openForm(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw new Refusal(400, 'The request is not multipart/form-data');
  }
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: name => name === 'file',
      limits: { fieldSize: 0 },
      highWaterMark: BUFFERED,
      fileHwm: BUFFERED,
    });
  } catch (error) {
    throw new Refusal(400, `The form cannot be read: ${String(error)}`);
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
  // A client that goes away leaves what had arrived of its form, like a form that is cut off.
  request.on('close', () => {
    if (!request.complete) form.end();
  });
}
