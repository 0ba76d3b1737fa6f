import { posix } from 'node:path';
import { badAnswer } from './exchange.ts';
import { AgentError } from './failure.ts';
import type { HttpAnswer } from './http.ts';

// The longest path of Linux. One is kept for each file until the end, and an answer may be a thousand times as long.
const MAX_PATH_BYTES = 4096;

/**
 * The path under which the one File entry of an answer says that the upload to `target` was stored.
 * @throws AgentError where the answer does not acknowledge it.
 */
export function storedPath(answer: HttpAnswer, target: string): string {
  const entries = entriesOf(answer);
  if (entries.length !== 1) {
    throw badAnswer(answer, `It holds ${entries.length} file entries, where one was expected`);
  }
  const path = pathOf(entries[0], target);
  if ('wrong' in path) throw badAnswer(answer, path.wrong);
  return path.path;
}

/**
 * The paths under which an answer says that the files of one request were stored, in the order of `targets`. Since no query
 * says where a file goes, the whole path must be that of its target: an agent that takes the last part of a filename alone
 * has stored it elsewhere.
 * @throws AgentError where the answer does not acknowledge each of them: what was stored elsewhere may lie where another one
 * belongs, so that none of them can be relied on.
 */
export function storedPaths(answer: HttpAnswer, targets: readonly string[]): string[] {
  const entries = entriesOf(answer);
  if (entries.length !== targets.length) {
    throw badAnswer(answer, `It holds ${entries.length} file entries, where ${targets.length} were expected`);
  }
  return targets.map((target, index) => {
    const stored = pathOf(entries[index], target);
    if ('wrong' in stored) throw badAnswer(answer, stored.wrong);
    if (!leadsTo(stored.path, target)) throw badAnswer(answer, 'Its entry has the path of another target');
    return stored.path;
  });
}

function leadsTo(stored: string, target: string): boolean {
  return stored === target || (!posix.isAbsolute(target) && stored.endsWith(`/${target}`));
}

/** The path of an entry that speaks of a target, or what is wrong with it. */
function pathOf(entry: unknown, target: string): { readonly path: string } | { readonly wrong: string } {
  if (typeof entry !== 'object' || entry === null) return { wrong: 'Its entry is not an object' };
  const { path, name, type } = { path: undefined, name: undefined, type: undefined, ...entry };
  if (type !== 'file') return { wrong: 'Its entry is not of type "file"' };
  if (name !== posix.basename(target)) return { wrong: 'Its entry names another file' };
  if (typeof path !== 'string' || path === '') return { wrong: 'Its entry has no path' };
  const isLong = Buffer.byteLength(path) > MAX_PATH_BYTES;
  return isLong ? { wrong: `Its entry has a path longer than ${MAX_PATH_BYTES} bytes` } : { path };
}

/** The entries of an answer, which come in an array, or one by itself. */
function entriesOf(answer: HttpAnswer): readonly unknown[] {
  if (!answer.sentWhole) throw tooEarly(answer);
  const body = parse(answer);
  return Array.isArray(body) ? body : [body];
}

function tooEarly({ tried, status }: HttpAnswer): AgentError {
  const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
  return new AgentError('connection', message, { status });
}

function parse(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch (error) {
    throw badAnswer(answer, 'It is not JSON', error);
  }
}
