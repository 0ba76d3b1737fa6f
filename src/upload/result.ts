import type { AgentError } from '../agent/failure.ts';
import type { Retry } from '../agent/retry.ts';
import type { StoredFile } from '../agent/uploader.ts';
import type { PlannedFile } from './plan.ts';

/** A file that was tried. */
interface Tried {
  readonly file: PlannedFile;
  readonly attempts: number;
  readonly durationMs: number;
}

/** How one planned file ended. Every planned file has exactly one. */
export type FileResult =
  | (Tried & StoredFile & { readonly status: 'uploaded' })
  | (Tried & { readonly status: 'failed'; readonly error: AgentError })
  /** Not sent, since the sandbox has it already, at `path`. */
  | { readonly status: 'unchanged'; readonly file: PlannedFile; readonly path: string }
  | { readonly status: 'skipped' | 'not-attempted'; readonly file: PlannedFile; readonly reason: string };

/** What happens during a transfer, for whoever wants to show it. A retry without files is one of the stats. */
export type TransferEvent =
  | { readonly kind: 'sent'; readonly file: PlannedFile; readonly bytes: number }
  | { readonly kind: 'retry'; readonly files: readonly PlannedFile[]; readonly retry: Retry }
  /** The agent did not take these together; from now on, every file is sent alone. */
  | { readonly kind: 'refused'; readonly files: readonly PlannedFile[] }
  | { readonly kind: 'settled'; readonly result: FileResult };
