import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { refuse } from './answer.ts';

// Bytes to buffer between socket and disk before pausing the socket.
const BUFFERED = 256 * 1024;

/**
 * Reads a whole form and passes on the filename and content of each part named `file`.
 * @throws Refusal with 400 if the body is not a form, or with 500 if the form is malformed or cut off
 */
export async function readFiles(
  request: IncomingMessage,
  onFile: (filename: string, content: Readable) => void,
): Promise<void> {
  const form = openForm(request.headers['content-type'] ?? '');
  form.on('file', (_field, content, filename) => {
    // Ignored, since `form` emits an error, too.
    content.on('error', () => {}).resume();
    onFile(filename, content);
  });
  await new Promise((resolve, reject) => {
    form.on('finish', resolve);
    form.on('error', () => reject(refuse(500, 'error reading form: unexpected EOF')));
    request.pipe(form);
    // If the client disconnects, keep the part of the form that has arrived.
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
