import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BUFFER_BYTES, type FileBody, openBody } from '../../src/agent/body.ts';
import { bufferPool } from '../../src/agent/buffer-pool.ts';

export const FRAME = { head: Buffer.from('<head>'), tail: Buffer.from('<tail>') };
export const LARGEST_BUFFERED = BUFFER_BYTES - 12;
export const LARGE = BUFFER_BYTES + 1;

/** Opens a file with a pool of its own. */
export function openFile(file: string, plannedSize: number): Promise<FileBody> {
  return openBody({ path: file, plannedSize, frame: FRAME, pool: bufferPool(BUFFER_BYTES) });
}

export interface File extends Disposable {
  readonly path: string;
}

/** A file with the content given, in a directory that is removed with it. */
export function fileOf(content: Buffer | string): File {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'body-')));
  const file = path.join(directory, 'file');
  writeFileSync(file, content);
  return { path: file, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

/** Bytes of which no two pieces are alike. */
export function pattern(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4)
    buffer.writeUInt32LE((offset * 2654435761) % 2 ** 32, offset);
  return buffer;
}

/** The whole body, each piece copied before the next is asked for, as the contract has it. */
export async function collect({ body }: FileBody): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const pieces: Buffer[] = [];
  for await (const piece of body) {
    pieces.push(Buffer.from(piece));
    await new Promise(resolve => setImmediate(resolve));
  }
  return Buffer.concat(pieces);
}

export function framed(content: Buffer): Buffer {
  return Buffer.concat([FRAME.head, content, FRAME.tail]);
}
