import { AgentError, type FailureInfo } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

export interface ReasonLine {
  readonly text: string;
  /** Backticks mark code. Only set for our own words: others may quote the agent or an input. */
  readonly hasMarkup?: true;
}

/** A problem in one line, and lines with details or advice below it. */
export type Reason = readonly ReasonLine[];

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
