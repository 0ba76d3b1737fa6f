import { posix } from 'node:path';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import { type Answer, badAnswer, parseAnswer } from './answer.ts';
import { newForm, openBody, readBatch, type UploadFile } from './body.ts';
import type { Client } from './client.ts';
import { AgentError } from './failure.ts';

/** What the agent acknowledged of a file. */
export interface StoredFile {
  /** The path as the agent returned it. */
  readonly path: string;
  /** Bytes of the file that were sent. */
  readonly size: number;
  /** Of those bytes, in hexadecimal digits, if they were hashed. */
  readonly sha256?: string;
}

/**
 * Stores files with one request; `onSent` is told bytes as they leave. Files of a batch that can no
 * longer be read are not in the result. @throws AgentError
 */
export type Upload = (
  files: readonly UploadFile[],
  onSent: (bytes: number) => void,
) => Promise<ReadonlyMap<UploadFile, StoredFile>>;

export type UploadInputs = Pick<
  Inputs<'upload'>,
  'uploadPath' | 'username' | 'signature' | 'signatureExpiration'
>;

/** Uploads over a client. `isHashed` says whether to hash what is sent. */
export function uploader(client: Client, inputs: UploadInputs, isHashed: boolean): Upload {
  const form = newForm();
  return async (files, onSent) => {
    const [file, ...others] = files;
    if (file === undefined) return new Map();
    const isBatch = others.length > 0;
    const body = isBatch ? readBatch(files, form) : await openBody(file, form, isHashed);
    if (body.parts.length === 0) return new Map();
    try {
      const answer = await client.send({
        method: 'POST',
        path: requestPath(inputs, isBatch ? undefined : file.target),
        headers: { 'Content-Type': form.contentType, 'Content-Length': String(body.length) },
        body: body.chunks,
        onSent,
      });
      const targets = body.parts.map(part => part.file.target);
      const paths = storedPaths(answer, targets);
      return new Map(
        body.parts.map(({ file: sent, size, sha256 }, index): [UploadFile, StoredFile] => {
          const path = client.redact(paths[index] ?? '');
          return [sent, isHashed ? { path, size, sha256: sha256() } : { path, size }];
        }),
      );
    } catch (error) {
      if (error instanceof AgentError && error.kind === 'bad-answer') client.reconnect();
      throw error;
    } finally {
      await body.close();
    }
  };
}

/** The path and query of an upload; only that of a single file names its target. */
function requestPath(inputs: UploadInputs, target: string | undefined): string {
  const { username, signature, signatureExpiration, uploadPath } = inputs;
  const parameters = {
    path: target,
    username,
    signature,
    signature_expiration: signatureExpiration,
  };
  const query = Object.entries(parameters)
    // Services refuse an empty username.
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value)}`] : []));
  return query.length === 0 ? uploadPath : `${uploadPath}?${query.join('&')}`;
}

// For the home directory before a relative target; a hostile agent's paths are kept in memory too.
const MAX_HOME_BYTES = 1024;

/** Where an answer says that files were stored, in the order of `targets`. @throws AgentError */
export function storedPaths(answer: Answer, targets: readonly string[]): string[] {
  if (answer.isEarly) {
    const { label, status } = answer;
    const message = `${label} answered ${status} before the whole file was sent, so it cannot have been stored.`;
    throw new AgentError('connection', message, { status });
  }
  const body = parseAnswer(answer);
  // The contract has one entry, E2B's agent a list.
  const entries: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (entries.length !== targets.length)
    throw badAnswer(answer, `it lists ${entries.length} files instead of ${targets.length}`);
  return targets.map((target, index) => storedPath(entries[index], target, answer));
}

function storedPath(entry: unknown, target: string, answer: Answer): string {
  if (typeof entry !== 'object' || entry === null)
    throw badAnswer(answer, 'its entry is no object');
  const { path, name, type } = fieldsOf(entry);
  if (type !== 'file') throw badAnswer(answer, 'its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'its entry names another file');
  if (typeof path !== 'string' || path === '') throw badAnswer(answer, 'its entry has no path');
  if (!leadsTo(path, target)) throw badAnswer(answer, 'its entry has the path of another target');
  if (Buffer.byteLength(path) <= Buffer.byteLength(target) + MAX_HOME_BYTES) return path;
  const why = `its entry has a path more than ${MAX_HOME_BYTES} bytes longer than the target`;
  throw badAnswer(answer, why);
}

/** A relative target may come back absolute, below a home directory. */
function leadsTo(stored: string, target: string): boolean {
  return stored === target || (!posix.isAbsolute(target) && stored.endsWith(`/${target}`));
}
