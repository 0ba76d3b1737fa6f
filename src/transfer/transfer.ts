import type { AgentError, Failure } from '../agent/failure.ts';
import type { RetryPolicy } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import { listSome } from '../text/format.ts';
import { type Batch, batchesOf } from './multipart.ts';
import { requestEach, type TimedOutcome, type TransferLog } from './request-each.ts';
import type { StoredFile, StoreFiles } from './store-files.ts';

/**
 * Each planned file has exactly one result. It is `not-attempted` until sent, unless it is
 * unchanged or skipped.
 */
export type FileResult =
  | ({
      readonly status: 'uploaded';
      readonly attempts: number;
      readonly durationMs: number;
    } & StoredFile)
  | {
      readonly status: 'failed';
      readonly file: PlannedFile;
      readonly attempts: number;
      readonly durationMs: number;
      readonly error: Failure;
    }
  | ({ readonly status: 'unchanged' } & StoredFile)
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly file: PlannedFile;
      readonly reason: string;
      /** Set by dry runs with `checksums: true`. */
      readonly sha256?: string | undefined;
    };

export interface TransferOptions extends RetryPolicy {
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly storeFiles: StoreFiles;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly log: TransferLog;
  readonly progress: TransferProgress;
}

export interface TransferProgress {
  readonly addSent: (bytes: number) => void;
  readonly addStored: (files: number) => void;
}

/** Sends the files that are `not-attempted`. Returns the results of all files, in the same order. */
export async function transfer(
  planned: readonly FileResult[],
  options: TransferOptions,
): Promise<{ readonly files: readonly FileResult[]; readonly retries: number }> {
  const { storeFiles, filesPerRequest, progress } = options;
  const unsent = planned.flatMap(({ status, file }) => (status === 'not-attempted' ? file : []));
  const batches = batchesOf(unsent, filesPerRequest);
  const { outcomes, retries, reason } = await requestEach(batches, {
    ...options,
    nameOf: batch =>
      listSome(
        batch.map(({ source }) => source),
        1,
      ),
    isHopeless: mayHaveOverwrittenOthers,
    async request(batch) {
      const stored = await storeFiles(batch, progress.addSent);
      progress.addStored(batch.length);
      return stored;
    },
  });
  const sent = batches.flatMap((batch, index) => resultsOf(batch, outcomes[index], reason));
  const byTarget = new Map(sent.map(result => [result.file.target, result]));
  const files = planned.map(result => byTarget.get(result.file.target) ?? result);
  return { files: failOverwritten(files), retries };
}

// An agent that ignores the folders of targets may have overwritten other files with a batch.
function mayHaveOverwrittenOthers(batch: Batch, { kind }: AgentError): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-answer');
}

function resultsOf(
  batch: Batch,
  outcome: TimedOutcome<readonly StoredFile[]> | undefined,
  reason: string,
): FileResult[] {
  if (outcome === undefined) return batch.map(file => ({ status: 'not-attempted', file, reason }));
  const { attempts, durationMs } = outcome;
  if (!('error' in outcome))
    return outcome.value.map(stored => ({ status: 'uploaded', attempts, durationMs, ...stored }));
  const { kind, status, message, hint } = outcome.error;
  const isSuspect = mayHaveOverwrittenOthers(batch, outcome.error);
  const advice = isSuspect ? ' files-per-request: 1 sends each file alone.' : '';
  const error = { kind, status, message, hint: `${hint}${advice}` };
  return batch.map(file => ({ status: 'failed', file, attempts, durationMs, error }));
}

// If the agent stored several files at the same path, only one of them survives.
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map((result): FileResult => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const [first = result, ...others] = byPath.get(path) ?? [];
    if (others.length === 0) return result;
    const names = [first, ...others].map(each => each.file.source);
    const sources = listSome(names, 1);
    const message = `${sources} were stored at the same place, ${path}: only one of them is there.`;
    const hint = 'Give one of them another target, or exclude it.';
    const error: Failure = { kind: 'rejected', status: undefined, message, hint };
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    return { status: 'failed', file, attempts, durationMs, error };
  });
}
