import type { ApiOptions } from './api.ts';

/** What getting and deleting a sandbox depends on besides its inputs. */
export interface SandboxContext extends Omit<ApiOptions, 'stop' | 'onRetry'> {
  /** Aborts when the job is cancelled; `lastCall` aborts some seconds later. */
  readonly cancel: AbortSignal;
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
}
