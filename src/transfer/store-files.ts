import { posix } from 'node:path';
import { type Answer, badAnswer, MAX_ANSWER_BYTES, parseAnswer } from '../agent/answer.ts';
import type { Client } from '../agent/client.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import { type Batch, bodyOf, CONTENT_TYPE } from './multipart.ts';

export interface StoredFile {
  readonly file: PlannedFile;
  /** As the agent returned it, redacted. */
  readonly path: string;
  /** In hex; undefined if hashing is off. */
  readonly sha256?: string | undefined;
}

// A file's path, and its metadata of up to 4 KiB.
const ENTRY_BYTES = 8 * 1024;

/**
 * Stores a batch with one request.
 * @throws AgentError if the request fails or a file cannot be read
 */
export async function storeFiles(
  batch: Batch,
  inputs: Inputs<'upload'>,
  client: Omit<Client, 'receive'>,
  onSent: (bytes: number) => void,
): Promise<readonly StoredFile[]> {
  const [file] = batch;
  const { chunks, length, digests } = bodyOf(batch, inputs.checksums || inputs.stateFile !== '');
  const answer = await client.send({
    method: 'POST',
    path: requestPath(inputs, batch.length === 1 ? file.target : undefined),
    headers: { 'Content-Type': CONTENT_TYPE, 'Content-Length': String(length) },
    body: chunks,
    hints: HINTS,
    maxAnswerBytes: MAX_ANSWER_BYTES + ENTRY_BYTES * batch.length,
    onSent,
  });
  const targets = batch.map(({ target }) => target);
  const paths = storedPaths(answer, targets).map(client.redact);
  return batch.map((stored, index) => {
    return { file: stored, path: paths[index] ?? '', sha256: digests[index] };
  });
}

const HINTS = {
  'not-found':
    'Check base-url and upload-path, which is added to it: the service has no such operation there.',
  rejected:
    'The agent does not take this request. Check header-prefix, sandbox-id, port and the target.',
  busy: 'The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2.',
};

// In a batch, the filename of each part is its target.
function requestPath(inputs: Inputs<'upload'>, target: string | undefined): string {
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

/**
 * Returns the stored paths in target order, unredacted: redaction could mask part of a target, and
 * then the comparison fails.
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

// PATH_MAX of Linux. Results keep every path, so longer ones could fill the memory.
const MAX_PATH = 4096;

function storedPath(entry: unknown, target: string, answer: Answer): string {
  const { path, name, type } = fieldsOf(entry);
  if (type !== 'file') throw badAnswer(answer, 'its entry is not of type "file"');
  if (name !== posix.basename(target)) throw badAnswer(answer, 'its entry names another file');
  if (typeof path === 'string' && path.length <= MAX_PATH && isPathOf(target, path)) return path;
  throw badAnswer(answer, 'its entry has no path, or that of another target');
}

// The agent may expand a relative target to an absolute path in the user's home.
function isPathOf(target: string, path: string): boolean {
  return path === target || (!posix.isAbsolute(target) && path.endsWith(`/${target}`));
}
