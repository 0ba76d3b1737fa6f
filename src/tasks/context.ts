import type { RetryPolicy } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { JobSandbox } from '../inputs/job-sandbox.ts';
import type { Redact } from '../text/redact.ts';
import type { TransferEvent } from '../transfer/transfer.ts';

export interface Context extends Pick<RetryPolicy, 'sleep' | 'random'> {
  readonly workspace: string;
  readonly cancel: AbortSignal;
  /** Aborts just before the runner kills the process. */
  readonly killImminent: AbortSignal;
  /** Returns monotonic milliseconds. */
  readonly clock: () => number;
  /** Returns Unix time in milliseconds. */
  readonly now: () => number;
  readonly redact: Redact;
  /** The sandboxes that earlier steps of this job created or connected to. */
  readonly sandboxes: readonly JobSandbox[];
  readonly onEvent: (event: RunEvent) => void;
}

export type RunEvent =
  | TransferEvent
  | { readonly kind: 'start'; readonly files: readonly PlannedFile[]; readonly title: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'note'; readonly text: string }
  /** Whole lines of a command's output. */
  | { readonly kind: 'output'; readonly text: string };
