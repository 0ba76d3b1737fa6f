import { posix } from 'node:path';
import { type Answer, badAnswer, MAX_ANSWER_BYTES, parseAnswer } from '../agent/answer.ts';
import type { Client } from '../agent/client.ts';
import type { AgentError } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import { SMALL_BYTES } from './batches.ts';
import { type Body, batchBody, fileBody, newForm } from './multipart.ts';

export interface StoredFile {
  readonly path: string;
  readonly size: number;
  /** Hex digest; missing if hashing is off. */
  readonly sha256?: string;
}

/** Maps each file to where it was stored, or to why it could not be read. */
export type StoreResults = ReadonlyMap<PlannedFile, StoredFile | AgentError>;

/** Stores files with one request. @throws AgentError if it fails or its only file is unreadable */
export type Upload = (
  files: readonly PlannedFile[],
  onSent: (bytes: number) => void,
) => Promise<StoreResults>;

export type UploadInputs = Pick<
  Inputs<'upload'>,
  'uploadPath' | 'username' | 'signature' | 'signatureExpiration'
>;

// The answer contains an entry for each file.
const ENTRY_BYTES = 512;

export function createStoreFiles(client: Client, inputs: UploadInputs, isHashed: boolean): Upload {
  const form = newForm();
  return async (files, onSent) => {
    const [file] = files;
    if (file === undefined) return new Map();
    const isBatch = files.length > 1;
    const isStreamed = !isBatch && file.size > SMALL_BYTES;
    const body = isStreamed ? fileBody(file, form, isHashed) : batchBody(files, form);
    const [unreadable] = body.unreadable.values();
    if (!isBatch && unreadable !== undefined) throw unreadable;
    if (body.digests.size === 0) return body.unreadable;
    try {
      const answer = await client.send({
        method: 'POST',
        path: requestPath(inputs, isBatch ? undefined : file.target),
        headers: { 'Content-Type': form.contentType, 'Content-Length': String(body.length) },
        body: body.chunks,
        maxAnswerBytes: MAX_ANSWER_BYTES + ENTRY_BYTES * files.length,
        onSent,
      });
      const stored = storedFiles(answer, body, isHashed);
      return new Map<PlannedFile, StoredFile | AgentError>([...body.unreadable, ...stored]);
    } finally {
      body.close();
    }
  };
}

// A batch has no `path`: its part names are the targets.
function requestPath(inputs: UploadInputs, target: string | undefined): string {
  const { username, signature, signatureExpiration, uploadPath } = inputs;
  const parameters = {
    path: target,
    username,
    signature,
    signature_expiration: signatureExpiration,
  };
  const query = Object.entries(parameters)
    // Services reject an empty username.
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value)}`] : []));
  return query.length === 0 ? uploadPath : `${uploadPath}?${query.join('&')}`;
}

function storedFiles(
  answer: Answer,
  { digests }: Body,
  isHashed: boolean,
): (readonly [PlannedFile, StoredFile])[] {
  const sent = [...digests];
  const targets = sent.map(([{ target }]) => target);
  const paths = storedPaths(answer, targets);
  return sent.map(([file, digest], index) => {
    const stored = { path: paths[index] ?? '', size: file.size };
    return [file, isHashed ? { ...stored, sha256: digest() } : stored];
  });
}

/**
 * Returns the stored paths in the order of `targets`.
 * @throws AgentError if the answer lists other files
 */
export function storedPaths(answer: Answer, targets: readonly string[]): string[] {
  const body = parseAnswer(answer);
  // The contract specifies one entry; E2B's agent returns a list.
  const entries: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (entries.length !== targets.length)
    throw badAnswer(answer, `it lists ${entries.length} files instead of ${targets.length}`);
  return targets.map((target, index) => storedPath(entries[index], target, answer));
}

// Linux PATH_MAX. Results keep every path, so a hostile agent could fill the memory.
const MAX_PATH = 4096;

function storedPath(entry: unknown, target: string, answer: Answer): string {
  const { path, name, type } = fieldsOf(entry);
  if (type !== 'file') throw badAnswer(answer, 'its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'its entry names another file');
  if (typeof path === 'string' && path.length <= MAX_PATH && isPathOf(target, path)) return path;
  throw badAnswer(answer, 'its entry has no path, or that of another target');
}

// The agent may return a relative target as an absolute path in the user's home.
function isPathOf(target: string, path: string): boolean {
  return path === target || (!posix.isAbsolute(target) && path.endsWith(`/${target}`));
}
