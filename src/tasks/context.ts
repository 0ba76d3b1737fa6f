import type { JobSandbox } from '../inputs/connection.ts';
import type { SandboxContext } from '../sandbox/sandbox-api.ts';

export interface Context extends SandboxContext {
  readonly workspace: string;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
  /** The sandboxes that earlier steps of this job created or connected to. */
  readonly sandboxes: readonly JobSandbox[];
  readonly log: Log;
}

export interface Log {
  readonly line: (text: string) => void;
  /** Logs whole lines of a command's output, up to 16 MiB in total. */
  readonly output: (lines: string) => void;
  readonly debug: (text: string) => void;
  readonly warning: (text: string) => void;
}
