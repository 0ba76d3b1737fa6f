import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { Refusal } from './answer.ts';

// Bytes that wait between socket and disk before the socket is paused.
const BUFFERED = 256 * 1024;

/** Takes one part named `file`: its whole filename and its content, which must be consumed. */
export type FileHandler = (filename: string | undefined, content: Readable) => void;

/**
 * Reads a form to its end and hands over its parts named `file`.
 * @throws Refusal with 400 for another type of body, with 500 for a form that is broken or cut off
 */
export async function readFiles(
  body: Readable,
  contentType: string,
  onFile: FileHandler,
): Promise<void> {
  const form = openForm(contentType);
  form.on('file', (_field, content, filename) => onFile(filename, content));
  await new Promise((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', () => reject(new Refusal(500, 'error reading form: unexpected EOF')));
    body.pipe(form);
    // If the client goes away, keep what arrived of its form.
    body.on('close', () => void (form.writableEnded || form.end()));
  });
}

function openForm(contentType: string): BusboyInstance {
  if (!/^multipart\//i.test(contentType))
    throw new Refusal(400, `unsupported content type: ${contentType}`);
  try {
    return new Busboy({
      // envd reads multipart/mixed as if it were a form.
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
