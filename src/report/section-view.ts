import type { Html } from './html.ts';

/** What one section of a report contributes to the verdict, the outputs and the summary. */
export interface SectionView {
  readonly level: 'success' | 'warning' | 'failure';
  /** The headline of a report that begins with this section, without its period. */
  readonly headline: string;
  /** A sentence that follows the headline of any section, or ''. */
  readonly judgement: string;
  /** Why this section failed the step. */
  readonly reasons: readonly Line[];
  readonly failures: readonly FailureGroup[];
  readonly warnings: readonly Line[];
  readonly notices: readonly string[];
  /** Lines for the end of the log. */
  readonly logLines: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** Files to write, by the output that names them; those without text are not written. */
  readonly files: Readonly<Record<string, { readonly name: string; readonly text: string }>>;
  readonly blocks: readonly Html[];
  /** Keys of report.json. */
  readonly json: object;
}

export interface Line {
  /** Backticks mark code, unless the text is untrusted. */
  readonly text: string;
  /** True if the text may quote a third party. */
  readonly isUntrusted: boolean;
}

/** Files that failed for the same reason. */
export interface FailureGroup {
  readonly message: string;
  readonly hint: string;
  readonly sources: readonly string[];
}
