import {
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PlannedFile } from '../../src/files/targets.ts';

export type TempFolder = ReturnType<typeof openTempFolder>;

/** One byte more than a chunk of a file, or a file in a batch, may have. */
export const LARGE_BYTES = 256 * 1024 + 1;

/** Creates a temporary directory. Disposing of it removes the directory. */
export function openTempFolder() {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sending-')));
  let count = 0;
  return {
    path: folder,
    at: (name: string) => path.join(folder, name),
    /** Writes a file and returns its plan. */
    writePlanned(target: string, content: Buffer | string): PlannedFile {
      count += 1;
      const realPath = path.join(folder, String(count));
      writeFileSync(realPath, content);
      const size = Buffer.byteLength(content);
      return { source: target, realPath, relative: '', target, size };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Returns bytes in which no aligned 4-byte word repeats, to detect lost or swapped chunks. */
export function distinctBytes(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let offset = 0; offset + 4 <= length; offset += 4)
    buffer.writeUInt32LE((offset * 2654435761) % 2 ** 32, offset);
  return buffer;
}

export function concatCopies(chunks: Iterable<Buffer>): Buffer {
  return Buffer.concat(Array.from(chunks, chunk => Buffer.from(chunk)));
}

/** Counts the files in a directory that this process holds open. Returns 0 outside Linux. */
export function countOpenFiles(directory: string): number {
  if (process.platform !== 'linux') return 0;
  const leadsThere = (descriptor: string) => {
    try {
      return readlinkSync(descriptor).startsWith(directory);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc/self/fd').filter(name => leadsThere(`/proc/self/fd/${name}`)).length;
}
