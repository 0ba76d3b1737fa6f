import type { Html } from './html.ts';

/** Describes a section to everything that reports it. The views of a report become one `Verdict`. */
export interface SectionView {
  readonly level: 'success' | 'warning' | 'failure';
  /** A sentence without its period; can be empty. Only shown for the first section of a report. */
  readonly headline: string;
  /** A sentence about the gate. It precedes the headline unless the section's level is success. */
  readonly judgement?: string;
  /** Why this section failed the step, except for failed files, which are in `failures`. */
  readonly reasons?: readonly Reason[];
  readonly failures?: readonly FailureGroup[];
  readonly warnings?: readonly Reason[];
  readonly notices?: readonly string[];
  /** Lines for the end of the log. */
  readonly logLines?: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly files?: readonly OutputFile[];
  /** Blocks of the summary. */
  readonly blocks: readonly Html[];
  /** Merged into report.json. */
  readonly json: object;
}

/** A file whose path is an output. Without text, there is no file, and the output is empty. */
export interface OutputFile {
  readonly output: string;
  readonly name: string;
  readonly text: string;
}

export interface Reason {
  /** Backticks mark code, unless the text is untrusted. */
  readonly text: string;
  /** True if the text may quote the agent, a file name or an input. */
  readonly isUntrusted: boolean;
  readonly details?: readonly Reason[];
}

/** Files that failed for the same reason. */
export interface FailureGroup {
  readonly message: string;
  readonly hint: string;
  readonly sources: readonly string[];
}
