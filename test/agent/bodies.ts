import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Body, bodyOpener } from '../../src/agent/body.ts';
import { BUFFER_BYTES } from '../../src/agent/file.ts';
import { type Form, openForm } from '../../src/agent/form.ts';

export const FORM: Form = openForm();
export const LARGE = BUFFER_BYTES + 1;

/** The longest file that goes out in one piece, under the filename `file`. */
export const LARGEST_BUFFERED = BUFFER_BYTES - FORM.head('file').length - FORM.tail.length;

/** A file in a directory of its own. */
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

/** Opens a file that was so large when it was planned, as a body of its own. */
export function openFile(realPath: string, size: number): Promise<Body> {
  return bodyOpener(FORM, false)([{ realPath, target: 'file', size }]);
}

/** Bytes of which no two pieces are alike. */
export function pattern(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4) buffer.writeUInt32LE((offset * 2654435761) % 2 ** 32, offset);
  return buffer;
}

/** The whole body, each piece copied before the next is asked for, as the contract has it. */
export async function collect({ content }: Pick<Body, 'content'>): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  const pieces: Buffer[] = [];
  for await (const piece of content) {
    pieces.push(Buffer.from(piece));
    await new Promise(resolve => setImmediate(resolve));
  }
  return Buffer.concat(pieces);
}

/** The body of a form with files by their filenames. */
export function framed(files: Readonly<Record<string, Buffer | string>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content], index) => [
    FORM.head(name, index > 0),
    Buffer.from(content),
  ]);
  return Buffer.concat([...parts, FORM.tail]);
}

/** How many of a directory's files this process holds open; 0 where the system does not tell. */
export function openIn(directory: string): number {
  if (process.platform !== 'linux') return 0;
  return readdirSync('/proc/self/fd').filter(name => leadsInto(directory, `/proc/self/fd/${name}`)).length;
}

function leadsInto(directory: string, descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith(directory);
  } catch {
    return false;
  }
}
