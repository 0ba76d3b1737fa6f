import type { Client } from '../agent/client.ts';
import type { FailureInfo } from '../agent/failure.ts';
import { requestEach, type Transfer } from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { listSome } from '../text/format.ts';
import type { Changes } from './state-file.ts';
import { storeFiles } from './store-files.ts';
import { fileRow, isStored, type UploadRow } from './uploaded-file.ts';

/** Returns the rows of all files of the plan, unchanged ones last. */
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

function formatSources(files: readonly { readonly source: string }[]): string {
  return listSome(
    files.map(({ source }) => source),
    1,
  );
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
