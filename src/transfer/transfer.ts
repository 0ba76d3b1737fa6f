import type { Failure } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import { listSome } from '../text/format.ts';
import { type Batch, batchesOf } from './multipart.ts';
import {
  type Attempts,
  type NotDone,
  type RequestResult,
  requestEach,
  type TransferOptions,
  type TransferTotals,
} from './request-each.ts';
import type { StoredFile } from './store-files.ts';

/** Each planned file has exactly one result. */
export type FileResult = { readonly file: PlannedFile } & (
  | ({ readonly status: 'uploaded' } & StoredFile & Attempts)
  | ({ readonly status: 'unchanged' } & StoredFile)
  | NotDone
  | { readonly status: 'skipped'; readonly reason: string; readonly sha256?: string | undefined }
);

/** Sends the files that are `not-attempted`. Returns the results of all files, in the same order. */
export async function transfer(
  planned: readonly FileResult[],
  storeFiles: (batch: Batch) => Promise<readonly StoredFile[]>,
  options: TransferOptions & { readonly filesPerRequest: number },
): Promise<TransferTotals & { readonly files: readonly FileResult[] }> {
  const batches = batchesOf(pendingIn(planned), options.filesPerRequest);
  const { results, ...totals } = await requestEach(batches, storeFiles, {
    ...options,
    nameOf: nameSources,
    isHopeless: mayHaveOverwrittenOthers,
  });
  const sent = results.flatMap(resultsOf);
  const byTarget = new Map(sent.map(result => [result.file.target, result]));
  const files = planned.map(result => byTarget.get(result.file.target) ?? result);
  return { files: failOverwritten(files), ...totals };
}

export function pendingIn(files: readonly FileResult[]): PlannedFile[] {
  return files.flatMap(({ status, file }) => (status === 'not-attempted' ? file : []));
}

function nameSources(files: readonly PlannedFile[]): string {
  return listSome(
    files.map(({ source }) => source),
    1,
  );
}

// An agent that ignores the folders of targets may have overwritten other files with a batch.
function mayHaveOverwrittenOthers(batch: Batch, { kind }: Failure): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-answer');
}

function resultsOf({
  item: batch,
  ...result
}: RequestResult<Batch, readonly StoredFile[]>): FileResult[] {
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

// If the agent stored several files at the same path, only one of them survives.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const stored = results.filter(result => 'path' in result);
  const byPath = Map.groupBy(stored, ({ path }) => path);
  return results.map((result): FileResult => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const sharing = byPath.get(path) ?? [];
    if (sharing.length < 2) return result;
    const sources = nameSources(sharing.map(each => each.file));
    const message = `${sources} were stored at the same place, ${path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: Failure = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { file, status: 'failed', attempts, durationMs, error };
  });
}
