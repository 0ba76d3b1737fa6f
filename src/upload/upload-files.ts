import { posix } from 'node:path';
import type { Client } from '../agent/client.ts';
import type { FailureInfo } from '../agent/failure.ts';
import { type AgentResponse, bodyError, parseResponse } from '../agent/http.ts';
import {
  requestEach,
  type Timing,
  type Transfer,
  type UntransferredRow,
} from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { fieldsOf } from '../text/json.ts';
import { listSome } from '../text/shorten.ts';
import { bodyOf, CONTENT_TYPE } from './upload-body.ts';

type FileRow = Pick<PlannedFile, 'source' | 'target' | 'size'>;

/** A file that the sandbox has. */
export interface StoredRow<S = 'uploaded' | 'unchanged'> extends FileRow {
  readonly status: S;
  /** As the agent returned it, redacted. */
  readonly path: string;
  /** Undefined if hashing is off. */
  readonly sha256: string | undefined;
}

export type UploadRow =
  | (StoredRow<'uploaded'> & Timing)
  | StoredRow<'unchanged'>
  | UntransferredRow<FileRow>
  /** A dry run would upload it. */
  | (FileRow & { readonly status: 'planned'; readonly sha256: string | undefined });

export function fileRow({ source, target, size }: FileRow): FileRow {
  return { source, target, size };
}

export function isStored(row: UploadRow): row is Extract<UploadRow, StoredRow> {
  return row.status === 'uploaded' || row.status === 'unchanged';
}

export interface Changes {
  readonly toSend: readonly PlannedFile[];
  /** Files that the sandbox already has. */
  readonly unchanged: readonly StoredRow<'unchanged'>[];
  /** Paths in the sandbox of files that have left the build. */
  readonly orphaned: readonly string[];
}

/** Uploads what changed. Returns the rows of all files of the plan, unchanged ones last. */
export async function uploadFiles(
  { toSend, unchanged }: Pick<Changes, 'toSend' | 'unchanged'>,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
  { onSent, onStored }: Record<'onSent' | 'onStored', (count: number) => void>,
): Promise<Transfer<UploadRow>> {
  const batches = batchesOf(toSend, filesPerRequestOf(inputs));
  const send = async (batch: readonly PlannedFile[]) => {
    const stored = await storeFiles(batch, inputs, client, context.cancel, onSent);
    onStored(batch.length);
    return stored;
  };
  const filesOf = (batch: readonly PlannedFile[]) => batch.map(fileRow);
  const requests = { send, filesOf, nameOf: formatSources };
  const { files, ...totals } = await requestEach(batches, requests, inputs, context);
  return { files: failOverwritten([...files, ...unchanged]), ...totals };
}

/** Resolves `auto` to batches only for E2B, whose agent accepts them. */
export function filesPerRequestOf(inputs: Inputs<'upload'>): number {
  // A signature covers a single path, so files cannot share a request.
  if (inputs.signature !== '') return 1;
  if (inputs.filesPerRequest !== 'auto') return inputs.filesPerRequest;
  // 250 is only a ceiling: BATCH_BYTES usually closes a batch first.
  return /^E2b$/i.test(inputs.headerPrefix) ? 250 : 1;
}

// Sending larger files together would save little time.
const SMALL_BYTES = 256 * 1024;

const BATCH_BYTES = 1024 * 1024;

// Upper bound for a part's boundary and headers, excluding the file name.
const FRAME_BYTES = 256;

/**
 * Groups small files with plain names into batches of at most `filesPerRequest` files and 1 MiB.
 * Every other file gets its own request.
 */
export function batchesOf(
  files: readonly PlannedFile[],
  filesPerRequest: number,
): readonly (readonly PlannedFile[])[] {
  const batches: (readonly PlannedFile[])[] = [];
  let open: PlannedFile[] | undefined;
  let room = 0;
  for (const file of files) {
    if (!canBatch(file)) {
      batches.push([file]);
      continue;
    }
    const bytes = FRAME_BYTES + file.target.length + file.size;
    if (open === undefined || open.length === filesPerRequest || bytes > room) {
      open = [];
      batches.push(open);
      room = BATCH_BYTES;
    }
    open.push(file);
    room -= bytes;
  }
  return batches;
}

// A file may only share a batch if form-data and every multipart parser that we know of keep its
// name as it is.
function canBatch({ target, size }: PlannedFile): boolean {
  if (size > SMALL_BYTES || !/^[!-~](?:[ -~]*[!-~])?$/.test(target)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(target);
}

function formatSources(files: readonly { readonly source: string }[]): string {
  const sources = files.map(({ source }) => source);
  return listSome(sources, 1);
}

// Files stored at the same path overwrite each other, so report all of them as failed.
function failOverwritten(rows: readonly UploadRow[]): UploadRow[] {
  const byPath = Map.groupBy(rows.filter(isStored), ({ path }) => path);
  return rows.map((row): UploadRow => {
    if (!isStored(row)) return row;
    const sharing = byPath.get(row.path) ?? [];
    if (sharing.length < 2) return row;
    const sources = formatSources(sharing);
    const message = `${sources} were stored at the same place, ${row.path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: FailureInfo = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      row.status === 'uploaded' ? row : { attempts: 0, durationMs: 0 };
    return { ...fileRow(row), status: 'failed', attempts, durationMs, error };
  });
}

/** A state file needs the hashes, too. */
export function needsHashes({ checksums, stateFile }: Inputs<'upload'>): boolean {
  return checksums || stateFile !== '';
}

/** Stores a batch with one request. */
export async function storeFiles(
  batch: readonly PlannedFile[],
  inputs: Inputs<'upload'>,
  client: Pick<Client, 'send' | 'redact'>,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<StoredRow<'uploaded'>[]> {
  const { chunks, length, digests } = bodyOf(batch, needsHashes(inputs));
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
