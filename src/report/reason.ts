import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

export interface Reason {
  readonly text: string;
  /** Only for our own words, with code in backticks. Other texts may quote the agent or an input. */
  readonly hasMarkup?: true;
  readonly details?: readonly Reason[];
}

/** The reason why a whole step failed. */
export interface ReportedError extends Reason {
  /** A sentence for the title, with code in backticks. The reasons omit a text that repeats it. */
  readonly title?: string;
}

/** Returns a reason whose backticks mark code. Quote file names in it with `inlineCode`. */
export function withMarkup(text: string): Reason {
  return { text, hasMarkup: true };
}

/** Returns a reason's text, and those of its details. */
export function reasonLines({ text, details = [] }: Reason): string[] {
  return [text, ...details.flatMap(reasonLines)];
}

export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError) {
    const details = error.kind === 'cancelled' ? [] : [withMarkup(error.hint)];
    return { text: error.message, details };
  }
  if (error instanceof InputError) return describeProblems(error);
  if (error instanceof Error && 'syscall' in error) return { text: `${error.message}.` };
  return describeBug(error);
}

function describeProblems({ problems }: InputError): ReportedError {
  const lines = problems.map(each => ({ text: describeProblem(each) }));
  const [only, ...others] = lines;
  if (only !== undefined && others.length === 0) return only;
  const count = new Set(problems.map(({ input }) => input)).size;
  const title = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return { text: title, title, details: lines };
}

function describeBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const title = 'Sandbox Sync itself failed. This is a bug; please report it.';
  return { text: title, title, details: stack.split('\n').map(text => ({ text })) };
}
