import type { AgentError, Failure } from '../agent/failure.ts';
import type { Retry, RetryPolicy } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import { listSome } from '../text/format.ts';
import { type Batch, batchesOf } from './multipart.ts';
import { requestEach, type TimedOutcome } from './request-each.ts';
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

type NamedFile = Pick<PlannedFile, 'source'>;

export type TransferEvent =
  | { readonly kind: 'sent'; readonly bytes: number }
  /** `files` is empty for a stats request. */
  | { readonly kind: 'retry'; readonly files: readonly NamedFile[]; readonly retry: Retry }
  /** Counts files instead of naming results, which may change until the transfer ends. */
  | { readonly kind: 'attempted'; readonly count: number }
  | { readonly kind: 'debug'; readonly text: string };

export interface TransferOptions extends RetryPolicy {
  readonly concurrency: number;
  readonly filesPerRequest: number;
  readonly storeFiles: StoreFiles;
  /** Prevents new requests; the client aborts those in flight. */
  readonly cancel: AbortSignal;
  readonly clock: () => number;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Sends the files that are `not-attempted`. Returns the results of all files, in the same order. */
export async function transfer(
  planned: readonly FileResult[],
  options: TransferOptions,
): Promise<{ readonly files: readonly FileResult[]; readonly retries: number }> {
  const { storeFiles, filesPerRequest, onEvent } = options;
  const results = new Map(planned.map(result => [result.file, result]));
  const unsent = planned.filter(({ status }) => status === 'not-attempted');
  const batches = batchesOf(
    unsent.map(({ file }) => file),
    filesPerRequest,
  );
  let retries = 0;
  const reason = await requestEach(batches, {
    ...options,
    request: batch => storeFiles(batch, bytes => onEvent({ kind: 'sent', bytes })),
    isHopeless: mayHaveOverwrittenOthers,
    onRetry: (batch, retry) => onEvent({ kind: 'retry', files: batch, retry }),
    onDebug: text => onEvent({ kind: 'debug', text }),
    onOutcome(batch, outcome) {
      retries += outcome.attempts - 1;
      for (const result of resultsOf(batch, outcome)) results.set(result.file, result);
      onEvent({ kind: 'attempted', count: batch.length });
    },
  });
  const files = Array.from(results.values(), result =>
    result.status === 'not-attempted' ? { ...result, reason } : result,
  );
  return { files: failOverwritten(files), retries };
}

// An agent that ignores the folders of targets may have overwritten other files with a batch.
function mayHaveOverwrittenOthers(batch: Batch, { kind }: AgentError): boolean {
  return batch.length > 1 && (kind === 'rejected' || kind === 'bad-answer');
}

function resultsOf(batch: Batch, outcome: TimedOutcome<readonly StoredFile[]>): FileResult[] {
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
