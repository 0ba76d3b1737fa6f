import { type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { refuse } from './answer.ts';
import { errorCode, expandPath, homeOf, onThisMachine } from './sandbox-path.ts';

/** Sends a file below `root`, the directory that is the sandbox's `/`. */
export async function sendFile(
  root: string,
  query: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const path = expandPath(query.get('path') ?? '', homeOf(query.get('username')));
  const place = onThisMachine(root, path);
  const { size } = statFile(place, path);
  await using file = await open(place);
  // A file that grows meanwhile is cut at the announced length.
  const content =
    size === 0 ? Readable.from([]) : file.createReadStream({ end: size - 1, autoClose: false });
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Content-Length', size);
  await pipeline(content, response);
}

function statFile(place: string, path: string): Stats {
  const stats = statOf(place, path);
  if (stats.isDirectory()) throw refuse(400, `path '${path}' is a directory`);
  return stats;
}

function statOf(place: string, path: string): Stats {
  try {
    return statSync(place);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw refuse(404, `path '${path}' does not exist`);
    throw refuse(500, `error checking if path exists '${path}': ${String(error)}`);
  }
}
