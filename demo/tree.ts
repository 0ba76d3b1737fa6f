import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** Prints every file below a directory, with its size in bytes. */
export async function printTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    console.log(`${String((await stat(file)).size).padStart(8)}  ${path.relative(directory, file)}`);
  }
}

/** The sources whose content in the sandbox differs from that in the workspace. */
export async function compareTrees(
  workspace: string,
  sandbox: string,
  uploaded: readonly { source: string; path: string }[],
): Promise<string[]> {
  const differing: string[] = [];
  for (const { source, path: stored } of uploaded) {
    const sent = await readFile(path.join(workspace, source));
    const arrived = await readFile(path.join(sandbox, stored));
    if (!sent.equals(arrived)) differing.push(source);
  }
  return differing;
}
