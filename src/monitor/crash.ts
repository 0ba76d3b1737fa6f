import { openSync, writeFileSync } from 'node:fs';
import { filesIn } from './directory.ts';
import { readForeign } from './foreign-file.ts';

const RESERVED_BYTES = 4096;
const MAX_BYTES = 64 * 1024;
const MAX_REASON = 1000;

/** Creates the file for the sampling process's error output, and opens it. */
export function openCrashFile(directory: string): number {
  const { crash } = filesIn(directory);
  // Filled in advance, so that the reason finds room on a full disk.
  writeFileSync(crash, ' '.repeat(RESERVED_BYTES), { mode: 0o600, flag: 'wx' });
  return openSync(crash, 'r+');
}

/** The line in a crashed sampling process's output that says why; undefined if there is none. */
export async function readCrash(directory: string): Promise<string | undefined> {
  const { text } = await readForeign(filesIn(directory).crash, MAX_BYTES);
  const lines = text.split('\n').map(line => line.trim());
  const isError = (line: string) => /^(?:\w*Error\b.*:|FATAL ERROR:)/.test(line);
  // Node's warnings begin with "(".
  const reason = lines.find(isError) ?? lines.find(line => /^[^(]/.test(line));
  return reason?.slice(0, MAX_REASON);
}
