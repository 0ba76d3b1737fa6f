import { type FileHandle, lstat, open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { READ_FLAGS } from '../agent/read-file.ts';
import { formatBytes } from '../text/format.ts';
import { systemCode } from '../text/system-error.ts';

/** The text of a file; empty if it is missing, or if there is a `problem`. */
export interface ForeignText {
  readonly text: string;
  readonly problem: string | undefined;
}

/** Reads a file that any step of the job may have replaced: by a pipe, a link, or a huge one. */
export async function readForeign(file: string, maxBytes: number): Promise<ForeignText> {
  let handle: FileHandle | undefined;
  try {
    // Windows knows no O_NOFOLLOW.
    if (!(await lstat(file)).isFile()) return refuse('it is not a regular file');
    handle = await open(file, READ_FLAGS);
    const stats = await handle.stat();
    if (!stats.isFile()) return refuse('it is not a regular file');
    if (stats.size > maxBytes) return refuse(`it is larger than ${formatBytes(maxBytes)}`);
    // It may still grow.
    const stream = handle.createReadStream({ end: maxBytes, autoClose: false });
    return { text: await text(stream), problem: undefined };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return refuse(code === 'ENOENT' ? undefined : `it cannot be read: ${code}`);
  } finally {
    await handle?.close();
  }
}

function refuse(problem: string | undefined): ForeignText {
  return { text: '', problem };
}
