import type { RetryPolicy } from '../agent/retry.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { Figures } from '../gate/metrics.ts';
import type { WaitResult } from '../stats/sample.ts';
import type { Redact } from '../text/redact.ts';
import type { TransferEvent } from '../upload/transfer.ts';

/** What a run depends on besides its inputs. */
export interface Context extends Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Absolute path of the directory that holds the checkout. */
  readonly workspace: string;
  /** Aborts when the job is cancelled. */
  readonly cancel: AbortSignal;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly redact: Redact;
  readonly onEvent: (event: RunEvent) => void;
}

/** What happens during a run, for whoever shows it. */
export type RunEvent =
  | TransferEvent
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'start'; readonly files: readonly PlannedFile[]; readonly title: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'wait'; readonly timeoutMs: number }
  /** Another sample of a wait. */
  | { readonly kind: 'waited'; readonly wait: WaitResult }
  | { readonly kind: 'sample'; readonly figures: Figures };
