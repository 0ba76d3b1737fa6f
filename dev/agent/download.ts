import { type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Refusal } from './answer.ts';
import { errorCode, expandPath, homeOf, OTHER_HOME, onThisMachine } from './sandbox-path.ts';

/** One download request. */
export interface Download {
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  /** The directory on this machine that is the sandbox's `/`. */
  readonly root: string;
}

/** Sends a file. As from envd, it comes without Content-Length if the client accepts gzip. */
export async function sendFile(
  { headers, query, root }: Download,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(query);
  const place = onThisMachine(root, path);
  const { size, mtime } = statFile(place, path);
  await using file = await open(place);
  // A file that grows meanwhile is cut at the announced length.
  const content =
    size === 0 ? Readable.from([]) : file.createReadStream({ end: size - 1, autoClose: false });
  response.setHeader('Content-Type', 'application/octet-stream');
  response.setHeader('Vary', 'Accept-Encoding');
  if (/\bgzip\b/.test(String(headers['accept-encoding']))) {
    response.setHeader('Content-Encoding', 'gzip');
    await pipeline(content, createGzip(), response);
  } else {
    response.setHeader('Content-Length', size);
    response.setHeader('Last-Modified', mtime.toUTCString());
    await pipeline(content, response);
  }
}

function pathOf(query: URLSearchParams): string {
  const username = query.get('username');
  const given = query.get('path') ?? '';
  const path = expandPath(given, homeOf(username));
  if (path !== undefined) return path;
  const problem = `failed to expand path '' for user '${username ?? 'user'}': ${OTHER_HOME}`;
  throw new Refusal(400, `error expanding and resolving path '${given}': ${problem}`);
}

function statFile(place: string, path: string): Stats {
  const stats = statOf(place, path);
  if (stats.isDirectory()) throw new Refusal(400, `path '${path}' is a directory`);
  return stats;
}

function statOf(place: string, path: string): Stats {
  try {
    return statSync(place);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new Refusal(404, `path '${path}' does not exist`);
    throw new Refusal(500, `error checking if path exists '${path}': ${String(error)}`);
  }
}
