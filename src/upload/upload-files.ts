import type { Client } from '../agent/client.ts';
import type { FailureInfo } from '../agent/failure.ts';
import { type RequestResult, requestEach, type TransferTotals } from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { listSome } from '../text/format.ts';
import type { Changes } from './state-file.ts';
import { type StoredFile, storeFiles } from './store-files.ts';
import { isStored, type UploadedFile } from './uploaded-file.ts';

/** Returns the results of all files of the plan, unchanged ones last. */
export async function uploadFiles(
  { toSend, unchanged }: Pick<Changes, 'toSend' | 'unchanged'>,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
  { onSent, onStored }: Record<'onSent' | 'onStored', (count: number) => void>,
): Promise<{ readonly files: readonly UploadedFile[] } & TransferTotals> {
  const batches = batchesOf(toSend, filesPerRequestOf(inputs));
  const send = async (batch: readonly PlannedFile[]) => {
    const stored = await storeFiles(batch, inputs, client, context.cancel, onSent);
    onStored(batch.length);
    return stored;
  };
  const requests = { send, nameOf: formatSources };
  const { results, ...totals } = await requestEach(batches, requests, inputs, context);
  return { files: failOverwritten([...results.flatMap(resultsOf), ...unchanged]), ...totals };
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
  // 250 is only a ceiling: BATCH_BYTES usually closes a batch first.
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

// A file may only share a batch if form-data and every multipart parser that we know of keep its
// name as it is.
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

function resultsOf({
  item: batch,
  ...result
}: RequestResult<readonly PlannedFile[], readonly StoredFile[]>): UploadedFile[] {
  if (result.status !== 'done') return batch.map(file => ({ file, ...result }));
  const { value, attempts, durationMs } = result;
  return value.map(stored => ({ ...stored, status: 'uploaded', attempts, durationMs }));
}

// Files stored at the same path overwrite each other, so report all of them as failed.
function failOverwritten(results: readonly UploadedFile[]): UploadedFile[] {
  const stored = results.filter(isStored);
  const byPath = Map.groupBy(stored, ({ path }) => path);
  return results.map((result): UploadedFile => {
    if (!isStored(result)) return result;
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
