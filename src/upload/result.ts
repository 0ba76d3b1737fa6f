import type { AgentError, Failure } from '../agent/failure.ts';
import type { Retry } from '../agent/retry.ts';
import type { StoredFile } from '../agent/upload.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { ConcurrencyChange } from './concurrency.ts';

/** How one planned file ended. Every planned file has exactly one result. */
export type FileResult =
  | (Sent & StoredFile & { readonly status: 'uploaded' })
  | (Sent & { readonly status: 'failed'; readonly error: Failure })
  /** Not sent, since the sandbox has it already, at `path`. */
  | {
      readonly status: 'unchanged';
      readonly file: PlannedFile;
      readonly path: string;
      readonly sha256: string;
    }
  | {
      readonly status: 'skipped' | 'not-attempted';
      readonly file: PlannedFile;
      readonly reason: string;
      /** Only of a dry run that was asked for checksums. */
      readonly sha256?: string;
    };

interface Sent {
  readonly file: PlannedFile;
  readonly attempts: number;
  readonly durationMs: number;
}

/** What happens during a run, for whoever shows it. */
export type TransferEvent =
  /** Bytes of a request have left; of a batch, its first file is named. */
  | { readonly kind: 'sent'; readonly file: PlannedFile; readonly bytes: number }
  /** A request failed and will be repeated; `files` is empty for a request for the stats. */
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
  /** A request failed for good. */
  | { readonly kind: 'failed'; readonly files: readonly PlannedFile[]; readonly error: AgentError }
  /** The agent refused a batch. From now on, every file is sent alone. */
  | { readonly kind: 'batch-refused'; readonly files: readonly PlannedFile[] }
  /** A transfer of these files starts; a second time if nothing that has arrived counts. */
  | { readonly kind: 'start'; readonly files: readonly PlannedFile[] }
  /** It has ended. */
  | { readonly kind: 'end' }
  | ({ readonly kind: 'concurrency' } & ConcurrencyChange)
  | { readonly kind: 'settled'; readonly result: FileResult };
