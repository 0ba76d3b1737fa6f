import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import FormData from 'form-data';
import type { BorrowedBuffer, Client } from '../agent/client.ts';
import { type AgentResponse, bodyError, parseResponse } from '../agent/http.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import { readChunks } from './read-file.ts';
import { fileRow, type StoredRow } from './uploaded-file.ts';

/** Stores a batch with one request. */
export async function storeFiles(
  batch: readonly PlannedFile[],
  inputs: Inputs<'upload'>,
  client: Pick<Client, 'send' | 'redact'>,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<StoredRow<'uploaded'>[]> {
  const { chunks, length, digests } = bodyOf(batch, inputs.checksums || inputs.stateFile !== '');
  const response = await client.send({
    method: 'POST',
    path: requestPath(inputs, batch),
    headers: { 'Content-Type': CONTENT_TYPE, 'Content-Length': String(length) },
    body: chunks,
    hints: UPLOAD_HINTS,
    onSent,
    signal,
    timeout: inputs.timeout,
  });
  const entries = entriesIn(response, batch.length);
  return batch.map((file, index) => {
    // Redact last: a masked path might not match its target.
    const path = client.redact(storedPath(entries[index], file.target, response));
    return { ...fileRow(file), status: 'uploaded', path, sha256: digests[index] };
  });
}

const UPLOAD_HINTS = {
  'not-found':
    'Check base-url and upload-path, which is added to it: the service has no such operation there.',
  rejected:
    'The agent does not take this request. Check the target and what is in its place (to put a file into a folder, end the target with /), base-url, header-prefix, sandbox-id and port.',
  busy: 'The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2.',
};

function requestPath(inputs: Inputs<'upload'>, batch: readonly PlannedFile[]): string {
  const { username, signature, signatureExpiration, uploadPath } = inputs;
  const parameters = {
    // In a batch, each part's filename is its target.
    path: batch.length === 1 ? batch[0]?.target : undefined,
    username,
    signature,
    signature_expiration: signatureExpiration,
  };
  const query = Object.entries(parameters)
    // Services reject an empty username, so leave out empty parameters.
    .flatMap(([name, value]) => (value ? [`${name}=${encodeURIComponent(value)}`] : []));
  return query.length === 0 ? uploadPath : `${uploadPath}?${query.join('&')}`;
}

// Unpredictable, so that no file can contain it.
const BOUNDARY = `----sandboxsync${crypto.randomUUID().replaceAll('-', '')}`;
const LINE_BREAK = Buffer.from('\r\n');
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

export const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

interface UploadBody {
  readonly chunks: Iterable<BorrowedBuffer>;
  readonly length: number;
  /** SHA-256 of the files read so far. Empty if hashing is off. */
  readonly digests: readonly string[];
}

/** Frames the files of a batch (RFC 7578). */
export function bodyOf(batch: readonly PlannedFile[], isHashed: boolean): UploadBody {
  const heads = batch.map(headOf);
  const digests: string[] = [];
  function* chunks(): Generator<BorrowedBuffer> {
    for (const [index, file] of batch.entries()) {
      const digest = isHashed ? createHash('sha256') : undefined;
      // Send the head with the first chunk: two writes for a small file would take longer, and the
      // agent may replace the target as soon as it sees the head, so the file must be open by then.
      let head = heads[index];
      for (const chunk of readChunks(file)) {
        digest?.update(chunk);
        yield head === undefined ? chunk : Buffer.concat([head, chunk]);
        head = undefined;
      }
      if (head !== undefined) yield head;
      if (digest !== undefined) digests.push(digest.digest('hex'));
    }
    // Send the tail separately: over TLS, a last chunk of 16 KiB (the size of a record, RFC 8446,
    // section 5.1) or more may only count as sent after the response.
    yield TAIL;
  }
  const sizes = [...heads.map(head => head.length), ...batch.map(({ size }) => size)];
  const length = sizes.reduce((sum, size) => sum + size, TAIL.length);
  return { chunks: chunks(), length, digests };
}

function headOf({ target }: PlannedFile, index: number): Buffer {
  // getBuffer() is quadratic in the number of parts, so each part gets its own form.
  const form = new FormData();
  form.setBoundary(BOUNDARY);
  // form-data's `filename` keeps only the base name; `filepath` keeps folders.
  form.append('file', '', { filepath: target, contentType: 'application/octet-stream' });
  const head = form.getBuffer().subarray(0, -TAIL.length);
  return index === 0 ? head : Buffer.concat([LINE_BREAK, head]);
}

function entriesIn(response: AgentResponse, count: number): readonly unknown[] {
  const body = parseResponse(response);
  // E2B's agent returns a list, even for one file (packages/envd/spec/envd.yaml in e2b-dev/runtime).
  // Other services may return the entry of a single file alone.
  const entries = Array.isArray(body) ? body : [body];
  if (entries.length === count) return entries;
  throw bodyError(response, `it lists ${entries.length} files instead of ${count}`);
}

// PATH_MAX of Linux. Results keep every path, so longer ones could fill the memory.
const MAX_PATH = 4096;

function storedPath(entry: unknown, target: string, response: AgentResponse): string {
  const { path, name, type } = fieldsOf(entry);
  if (type !== 'file') throw bodyError(response, 'its entry is not of type "file"');
  if (name !== posix.basename(target)) throw bodyError(response, 'its entry names another file');
  if (typeof path === 'string' && path.length <= MAX_PATH && isPathOf(target, path)) return path;
  throw bodyError(response, 'its entry has no path, or that of another target');
}

// The agent may expand a relative target to an absolute path in the user's home.
function isPathOf(target: string, path: string): boolean {
  return path === target || (!posix.isAbsolute(target) && path.endsWith(`/${target}`));
}
