import type { Redact } from '../text/escape.ts';
import type { JobSandbox } from './connection.ts';

export interface Context {
  readonly workspace: string;
  /** Aborts when the step is cancelled. Its `reason` is a string, since results quote it. */
  readonly cancel: AbortSignal;
  /** Aborts just before the runner kills the process. */
  readonly killImminent: AbortSignal;
  /** Unix time in milliseconds, which ignores that the runner's clock is set. */
  readonly now: () => number;
  /** Resolves to false if `stop` aborts before `ms` milliseconds have passed. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<boolean>;
  readonly random: () => number;
  readonly redact: Redact;
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
