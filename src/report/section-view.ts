import type { Html } from './html.ts';

export interface SectionView {
  readonly level: 'success' | 'warning' | 'failure';
  /** Without its period. Only shown for the first section of a report. */
  readonly headline: string;
  /** A sentence that follows the headline, even that of another section; can be empty. */
  readonly judgement: string;
  /** Why this section failed the step. */
  readonly reasons: readonly Line[];
  readonly failures: readonly FailureGroup[];
  readonly warnings: readonly Line[];
  readonly notices: readonly string[];
  /** Lines for the end of the log. */
  readonly logLines: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** By the output that has the path of the file. A file without text is not written. */
  readonly files: Readonly<Record<string, { readonly name: string; readonly text: string }>>;
  readonly blocks: readonly Html[];
  /** Merged into report.json. */
  readonly json: object;
}

export interface Line {
  /** Backticks mark code, unless the text is untrusted. */
  readonly text: string;
  /** True if the text may quote the agent, a file name or an input. */
  readonly isUntrusted: boolean;
}

/** Files that failed for the same reason. */
export interface FailureGroup {
  readonly message: string;
  readonly hint: string;
  readonly sources: readonly string[];
}
