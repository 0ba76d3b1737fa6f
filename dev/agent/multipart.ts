import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { refuse } from './answer.ts';

// Bytes that wait between socket and disk before the socket is paused.
const BUFFERED = 256 * 1024;

/**
 * Reads a form to its end and hands over the filename and content of its parts named `file`.
 * @throws Refusal with 400 for another type of body, with 500 for a form that is broken or cut off
 */
export async function readFiles(
  request: IncomingMessage,
  onFile: (filename: string, content: Readable) => void,
): Promise<void> {
  const form = openForm(request.headers['content-type'] ?? '');
  form.on('file', (_field, content, filename) => {
    // The form fails, too.
    content.on('error', () => {}).resume();
    onFile(filename, content);
  });
  await new Promise((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', () => reject(refuse(500, 'error reading form: unexpected EOF')));
    request.pipe(form);
    // If the client goes away, keep what arrived of its form.
    request.on('close', () => void (form.writableEnded || form.end()));
  });
}

function openForm(contentType: string): BusboyInstance {
  if (!/^multipart\/form-data/i.test(contentType))
    throw refuse(400, `unsupported content type: ${contentType}`);
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
    throw refuse(500, `error parsing multipart form: ${String(error)}`);
  }
}
