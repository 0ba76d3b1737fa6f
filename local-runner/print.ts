import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Prints what stands above a part of the output. */
export function title(text: string): void {
  console.log(`\n── ${text}\n`);
}

/** A text, cut where it is longer than the limit. */
export function shortened(text: string, limit = 160): string {
  return text.length > limit ? `${text.slice(0, limit)} …` : text;
}

/** Prints every file below a directory, with its size in bytes. */
export async function printTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of files)
    console.log(`${String((await stat(file)).size).padStart(8)}  ${path.relative(directory, file)}`);
  if (files.length === 0) console.log('No files.');
}
