import { posix } from 'node:path';
import { type Answer, badAnswer, parseAnswer } from '../agent/answer.ts';
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

/**
 * Stores a batch with one request.
 * @throws AgentError if the request fails, a file cannot be read, or the answer lists other files
 */
export async function storeFiles(
  batch: Batch,
  inputs: Inputs<'upload'>,
  client: Pick<Client, 'send' | 'redact'>,
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
    onSent,
  });
  const entries = entriesIn(answer, batch.length);
  return batch.map((stored, index) => {
    // Redact the path last: redaction could mask part of a target, and then the comparison fails.
    const path = client.redact(storedPath(entries[index], stored.target, answer));
    return { file: stored, path, sha256: digests[index] };
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

function entriesIn(answer: Answer, count: number): readonly unknown[] {
  const body = parseAnswer(answer);
  // The contract specifies one entry; E2B's agent returns a list.
  const entries = Array.isArray(body) ? body : [body];
  if (entries.length === count) return entries;
  throw badAnswer(answer, `it lists ${entries.length} files instead of ${count}`);
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
