import type { IncomingMessage } from 'node:http';

/** The filenames of a form, read ahead. Empty without a Content-Length. */
export async function peekFilenames(request: IncomingMessage): Promise<string[]> {
  const body = await peekBody(request, Number(request.headers['content-length'] ?? 0));
  const disposition = /^Content-Disposition:[^\r\n]*?; filename="([^"\r\n]*)"/gim;
  return [...body.toString().matchAll(disposition)].map(([, name = '']) => name);
}

/** Reads the whole body and puts it back, so that it can be read again. */
async function peekBody(request: IncomingMessage, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const take = () => {
    while (size < length) {
      const chunk: unknown = request.read();
      if (!Buffer.isBuffer(chunk)) return;
      chunks.push(chunk);
      size += chunk.length;
    }
    resolve();
  };
  const stop = () => resolve();
  request.on('readable', take).on('close', stop);
  await promise;
  request.off('readable', take).off('close', stop);
  const body = Buffer.concat(chunks);
  // A stream that has been read to its end still takes bytes back until it emits `end`.
  if (body.length > 0 && !request.destroyed) request.unshift(body);
  return body;
}
