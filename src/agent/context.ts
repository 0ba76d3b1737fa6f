import type { JobSandbox } from '../inputs/connection.ts';
import type { ClientOptions } from './client.ts';
import type { RetryOptions } from './retry.ts';

/** What a step passes to its task. */
export interface Context extends ClientOptions, Pick<RetryOptions, 'sleep' | 'random'> {
  readonly workspace: string;
  /** Aborts just before the runner kills the process. */
  readonly killImminent: AbortSignal;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** The sandboxes that earlier steps of this job created or connected to. */
  readonly sandboxes: readonly JobSandbox[];
  readonly log: {
    readonly line: (text: string) => void;
    /** Logs whole lines of a command's output, up to 16 MiB in total. */
    readonly output: (lines: string) => void;
    readonly debug: (text: string) => void;
    readonly warning: (text: string) => void;
  };
}
