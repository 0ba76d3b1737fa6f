import type { RetryPolicy } from '../agent/retry.ts';

/** What getting and deleting a sandbox depends on besides its inputs. */
export interface SandboxContext extends Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Aborts when the job is cancelled. */
  readonly cancel: AbortSignal;
  /** Aborts some seconds later, just before the runner kills the process: ends what is in flight. */
  readonly lastCall: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
}
