import { readFile } from 'node:fs/promises';
import path from 'node:path';

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
