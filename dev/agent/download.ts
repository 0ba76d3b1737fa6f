import { readFile } from 'node:fs/promises';
import { type Answer, Refusal } from './answer.ts';
import type { Settings } from './options.ts';
import { absolutePath, errorCode, homeOf, knownUser, realPath } from './sandbox-path.ts';

/**
 * Answers a stored file, as the reference agent does for `GET /files`. The contract has no such
 * operation.
 */
export async function readStored(query: URLSearchParams, settings: Settings): Promise<Answer> {
  const home = homeOf(knownUser(query.get('username'), settings.users));
  const path = absolutePath(query.get('path') ?? '', home);
  try {
    const body = await readFile(realPath(settings.root, path));
    return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Refusal(404, `path '${path}' does not exist`);
    if (errorCode(error) === 'EISDIR') throw new Refusal(400, `path '${path}' is a directory`);
    throw error;
  }
}
