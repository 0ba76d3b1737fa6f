import type { Context } from '../agent/context.ts';
import type { FailureInfo } from '../agent/failure.ts';
import {
  type Attempts,
  type FailedOrNotAttempted,
  type RequestResult,
  requestEach,
} from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { listSome } from '../text/format.ts';
import type { StoredFile } from './store-files.ts';

export type FileResult = { readonly file: PlannedFile } & (
  | ({ readonly status: 'uploaded' } & StoredFile & Attempts)
  | ({ readonly status: 'unchanged' } & StoredFile)
  | FailedOrNotAttempted
  | { readonly status: 'skipped'; readonly reason: string; readonly sha256?: string | undefined }
);

/** Sends the files that are `not-attempted`. Returns the results of all files in the same order. */
export async function transfer(
  planned: readonly FileResult[],
  storeFiles: (batch: readonly PlannedFile[]) => Promise<readonly StoredFile[]>,
  inputs: Inputs<'upload'>,
  context: Context,
) {
  const batches = batchesOf(pendingIn(planned), filesPerRequestOf(inputs));
  const requests = {
    send: storeFiles,
    nameOf: formatSources,
    isHopeless: mayHaveOverwrittenOthers,
  };
  const { results, ...totals } = await requestEach(batches, requests, inputs, context);
  const sent = results.flatMap(resultsOf);
  const byTarget = new Map(sent.map(result => [result.file.target, result]));
  const files = planned.map(result => byTarget.get(result.file.target) ?? result);
  return { files: failOverwritten(files), ...totals };
}

export function pendingIn(files: readonly FileResult[]): PlannedFile[] {
  return files.flatMap(({ status, file }) => (status === 'not-attempted' ? file : []));
}

/** Resolves `auto` to batches only for E2B, whose agent accepts them. */
export function filesPerRequestOf({
  filesPerRequest,
  headerPrefix,
  signature,
}: Inputs<'upload'>): number {
  // A signature covers a single path, so files cannot share a request.
  if (signature !== '') return 1;
  if (filesPerRequest !== 'auto') return filesPerRequest;
  // The limit of 1 MiB usually ends a batch earlier.
  return /^E2b$/i.test(headerPrefix) ? 250 : 1;
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

// A file may only share a batch if every multipart parser we know of reads its name the same way,
// and form-data does not escape it.
function canBatch({ target, size }: PlannedFile): boolean {
  if (size > SMALL_BYTES || !/^[!-~](?:[ -~]*[!-~])?$/.test(target)) return false;
  return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(target);
}

function formatSources(files: readonly PlannedFile[]): string {
  return listSome(
    files.map(({ source }) => source),
    1,
  );
}

// Stop then: an agent that drops folders from file names may have overwritten files before it
// rejected or mislabeled the batch.
function mayHaveOverwrittenOthers(batch: readonly PlannedFile[], { kind }: FailureInfo): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-response');
}

function resultsOf({
  item: batch,
  ...result
}: RequestResult<readonly PlannedFile[], readonly StoredFile[]>): FileResult[] {
  if (result.status === 'done') {
    const { value, attempts, durationMs } = result;
    return value.map(stored => ({ ...stored, status: 'uploaded', attempts, durationMs }));
  }
  if (result.status === 'failed' && mayHaveOverwrittenOthers(batch, result.error)) {
    const hint = `${result.error.hint} files-per-request: 1 sends each file alone.`;
    return batch.map(file => ({ file, ...result, error: { ...result.error, hint } }));
  }
  return batch.map(file => ({ file, ...result }));
}

// Files stored at the same path overwrite each other, so report all of them as failed.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const stored = results.filter(result => 'path' in result);
  const byPath = Map.groupBy(stored, ({ path }) => path);
  return results.map((result): FileResult => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const sharing = byPath.get(path) ?? [];
    if (sharing.length < 2) return result;
    const sources = formatSources(sharing.map(each => each.file));
    const message = `${sources} were stored at the same place, ${path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: FailureInfo = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { file, status: 'failed', attempts, durationMs, error };
  });
}
