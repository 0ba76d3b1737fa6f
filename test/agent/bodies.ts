import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Body, newForm, openBody, type UploadFile } from '../../src/agent/body.ts';
import { identityOf, SMALL_BYTES } from '../../src/agent/read-file.ts';

export const FORM = newForm();

/** The size of a file that is streamed. */
export const LARGE = SMALL_BYTES + 1;

/** A file in its own directory. */
export interface TestFile extends Disposable {
  readonly path: string;
}

/** Creates a file in its own directory, which is removed with it. */
export function fileOf(content: Buffer | string): TestFile {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'body-')));
  const file = path.join(directory, 'file');
  writeFileSync(file, content);
  return { path: file, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

/** A file as the search would find it now, except for its size. */
export function found(realPath: string, size: number, target = 'file'): UploadFile {
  const identity = identityOf(lstatSync(realPath, { bigint: true }));
  return { realPath, identity, size, target };
}

/** Opens a file as the body of one request. */
export function open(file: UploadFile): Promise<Body> {
  return openBody(file, FORM, false);
}

/** Bytes in which no two pieces are alike. */
export function pattern(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4)
    buffer.writeUInt32LE((offset * 2654435761) % 2 ** 32, offset);
  return buffer;
}

/** The whole body; copies each chunk before it asks for the next, as the network does. */
export async function collect({ chunks }: Pick<Body, 'chunks'>): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) {
    copies.push(Buffer.from(chunk));
    await new Promise(resolve => setImmediate(resolve));
  }
  return Buffer.concat(copies);
}

/** The multipart body of files by filename. */
export function framed(files: Readonly<Record<string, Buffer | string>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content], index) => [
    Buffer.from(index > 0 ? '\r\n' : ''),
    FORM.head(name),
    Buffer.from(content),
  ]);
  return Buffer.concat([...parts, FORM.tail]);
}

/** How many files of a directory this process holds open; 0 if the system does not tell. */
export function openIn(directory: string): number {
  if (process.platform !== 'linux') return 0;
  return readdirSync('/proc/self/fd').filter(name => leadsInto(directory, `/proc/self/fd/${name}`))
    .length;
}

function leadsInto(directory: string, descriptor: string): boolean {
  try {
    return readlinkSync(descriptor).startsWith(directory);
  } catch {
    return false;
  }
}
