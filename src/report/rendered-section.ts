import type { Html } from './html.ts';
import type { Reason, ReasonLine } from './reason.ts';

/** What the result of one action adds to outputs, log, summary and report.json. */
export interface RenderedSection {
  readonly level: 'success' | 'warning' | 'failure';
  /** Why the step failed, except for failed files. The first line of each can be the title. */
  readonly problems?: readonly Reason[];
  /** What was done, in sentences whose backticks mark code. Empty if a problem says it. */
  readonly done: string;
  /** Why files failed. Each becomes a separate annotation, up to GitHub's limit. */
  readonly fileFailures?: readonly Reason[];
  readonly warnings?: readonly ReasonLine[];
  readonly notices?: readonly string[];
  /** A log line for each file, failures first. */
  readonly fileLines?: readonly string[];
  /** Lines for the end of the log and for the summary, whose backticks mark code. */
  readonly facts?: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** The text of the file that the output `checksums` names; empty if no file was hashed. */
  readonly checksums?: string;
  readonly blocks?: readonly Html[];
  /** Stands in report.json below the name of the result. */
  readonly json: object;
}
