import { AgentError, type FailureInfo } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';
import type { Html } from './html.ts';

export interface ReasonLine {
  readonly text: string;
  /** Set if backticks mark code. Only for our own words: others may quote the agent or an input. */
  readonly hasMarkup?: boolean;
  /** A line of a command's output, which the summary shows with the other last lines. */
  readonly isOutput?: boolean;
}

/** A problem in one line, and lines with details or advice below it. */
export type Reason = readonly ReasonLine[];

/** What the result of one action adds to outputs, log, summary and report.json. */
export interface RenderedSection {
  /** Why the step failed. The first line of each can be the title. */
  readonly problems: readonly Reason[];
  /** What was done, in sentences where backticks mark code. Empty if a problem says it. */
  readonly done: string;
  readonly warnings: readonly ReasonLine[];
  /** A log line for each file, failures first. */
  readonly fileLines?: readonly string[];
  /** Lines for the end of the log and for the summary. Backticks mark code. */
  readonly facts?: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** Texts that are written to files, by the output that has the path. An empty one has no file. */
  readonly attachments?: Readonly<Record<string, string>>;
  readonly blocks?: readonly Html[];
  /** Stands in report.json below the name of the result. */
  readonly json: object;
}

/** Returns a line whose backticks mark code. Quote file names in it with `inlineCode`. */
export function withMarkup(text: string): ReasonLine {
  return { text, hasMarkup: true };
}

export function textsOf(lines: Reason): string[] {
  return lines.map(({ text }) => text);
}

/** Explains anything that a step has thrown. */
export function reasonOfError(error: unknown): Reason {
  if (error instanceof AgentError) return reasonOfFailure(error);
  if (error instanceof InputError) return reasonOfInputs(error);
  if (error instanceof Error && 'syscall' in error) return [{ text: `${error.message}.` }];
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const title = withMarkup('Sandbox Sync itself failed. This is a bug; please report it.');
  return [title, ...stack.split('\n').map(text => ({ text }))];
}

export function reasonOfFailure({ kind, message, hint }: FailureInfo): Reason {
  return [{ text: message }, ...(kind === 'cancelled' ? [] : [withMarkup(hint)])];
}

function reasonOfInputs({ problems }: InputError): Reason {
  const lines = problems.map(each => ({ text: describeProblem(each) }));
  if (lines.length === 1) return lines;
  const count = new Set(problems.map(({ input }) => input)).size;
  const title = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return [withMarkup(title), ...lines];
}
