import { posix } from 'node:path';
import type { Inputs } from '../inputs/table.ts';
import { fieldsOf } from '../text/exact-json.ts';
import { badAnswer, fromJson } from './answer.ts';
import { bodyOpener, type UploadFile } from './body.ts';
import type { Client } from './client.ts';
import type { HttpAnswer } from './exchange.ts';
import { AgentError } from './failure.ts';
import { openForm } from './form.ts';

/** What the agent acknowledged. */
export interface StoredFile {
  /** The path as the agent returned it. */
  readonly path: string;
  /** Bytes of the file that were sent. */
  readonly size: number;
  /** The SHA-256 of those bytes, in hexadecimal digits, where they were hashed. */
  readonly sha256?: string;
}

/**
 * Stores files with one request; a single one where the query says, several by their filenames. `onSent` is told bytes as they
 * leave. Undefined becomes of one of several that could not be read or no longer fits. @throws AgentError
 */
export type Upload = (
  files: readonly UploadFile[],
  onSent: (bytes: number) => void,
) => Promise<readonly (StoredFile | undefined)[]>;

/** How every file is uploaded. */
export type UploadQuery = Pick<Inputs<'upload'>, 'uploadPath' | 'username' | 'signature' | 'signatureExpiration'>;

/** Uploads over a client. `hashed` says whether to hash what is sent. */
export function uploader(client: Pick<Client, 'send' | 'redact'>, inputs: UploadQuery, hashed: boolean): Upload {
  const form = openForm();
  const openBody = bodyOpener(form, hashed);
  const pathFor = pathsOf(inputs);
  return async (files, onSent) => {
    const { parts, content, length, close } = await openBody(files);
    if (parts.length === 0) return files.map(() => undefined);
    const headers = ['Content-Type', form.contentType, 'Content-Length', String(length)];
    const request = { method: 'POST', path: pathFor(files), headers, body: content, onSent } as const;
    let isStored = false;
    try {
      const answer = await client.send(request);
      const targets = parts.map(({ file }) => file.target);
      const paths = storedPaths(answer, targets).map(client.redact);
      isStored = true;
      const stored = new Map(
        parts.map(({ file, size, sha256 }, index) => {
          const path = paths[index] ?? '';
          return [file, hashed ? { path, size, sha256: sha256() } : { path, size }];
        }),
      );
      return files.map(file => stored.get(file));
    } finally {
      await close(isStored);
    }
  };
}

/** The path and query of a request for files. */
function pathsOf(inputs: UploadQuery): (files: readonly UploadFile[]) => string {
  const { uploadPath, username, signature, signatureExpiration } = inputs;
  // An empty username is refused by real services, so what is empty is left out.
  const common = Object.entries({ username, signature, signature_expiration: signatureExpiration })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return ([file, ...others]) => {
    const own = file === undefined || others.length > 0 ? [] : [`path=${encodeURIComponent(file.target)}`];
    const query = [...own, ...common].join('&');
    return query === '' ? uploadPath : `${uploadPath}?${query}`;
  };
}

// What stands before a relative target is a home directory. A path is kept for each file until the end, also of a hostile agent.
const MAX_HOME_BYTES = 1024;

/** The paths under which an answer says that files were stored, in the order of `targets`. @throws AgentError */
export function storedPaths(answer: HttpAnswer, targets: readonly string[]): string[] {
  const entries = entriesOf(answer);
  const { length } = targets;
  if (entries.length !== length) {
    const expected = length === 1 ? 'one was' : `${length} were`;
    throw badAnswer(answer, `It holds ${entries.length} file entries, where ${expected} expected`);
  }
  return targets.map((target, index) => pathOf(entries[index], target, answer));
}

/** Whether a path is that of a target: from the user's home or from elsewhere if that is relative, as some services answer. */
function leadsTo(stored: string, target: string): boolean {
  return stored === target || (!posix.isAbsolute(target) && stored.endsWith(`/${target}`));
}

/** The path of an answer's entry that is to speak of a target. @throws AgentError */
function pathOf(entry: unknown, target: string, answer: HttpAnswer): string {
  if (typeof entry !== 'object' || entry === null) throw badAnswer(answer, 'Its entry is not an object');
  const { path, name, type } = fieldsOf(entry);
  if (type !== 'file') throw badAnswer(answer, 'Its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'Its entry names another file');
  if (typeof path !== 'string' || path === '') throw badAnswer(answer, 'Its entry has no path');
  if (!leadsTo(path, target)) throw badAnswer(answer, 'Its entry has the path of another target');
  if (Buffer.byteLength(path) <= Buffer.byteLength(target) + MAX_HOME_BYTES) return path;
  throw badAnswer(answer, `Its entry has a path more than ${MAX_HOME_BYTES} bytes longer than the target`);
}

/** The entries of an answer, which come in an array, or one by itself. */
function entriesOf(answer: HttpAnswer): readonly unknown[] {
  const { tried, status, sentWhole } = answer;
  if (!sentWhole) {
    const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
    throw new AgentError('connection', message, { status });
  }
  const body = fromJson<unknown>(answer, text => JSON.parse(text));
  return Array.isArray(body) ? body : [body];
}
