import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

export interface ReasonLine {
  readonly text: string;
  /** Backticks mark code. Only set for our own words: others may quote the agent or an input. */
  readonly hasMarkup?: true;
}

/** A message, and lines with details or advice below it. */
export type Reason = readonly ReasonLine[];

/** An error of the step as a whole, not of a single file. */
export interface ReportedError {
  /** A sentence for the title of the verdict, with code in backticks. */
  readonly title?: string;
  /** Adds details to the title, or stands alone if there is none. */
  readonly reason: Reason;
}

/** Returns a line whose backticks mark code. Quote file names in it with `inlineCode`. */
export function withMarkup(text: string): ReasonLine {
  return { text, hasMarkup: true };
}

export function reasonLines(reason: Reason): string[] {
  return reason.map(({ text }) => text);
}

export function fullReason({ title, reason }: ReportedError): Reason {
  return title === undefined ? reason : [withMarkup(title), ...reason];
}

export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError) {
    const advice = error.kind === 'cancelled' ? [] : [withMarkup(error.hint)];
    return { reason: [{ text: error.message }, ...advice] };
  }
  if (error instanceof InputError) return describeProblems(error);
  if (error instanceof Error && 'syscall' in error)
    return { reason: [{ text: `${error.message}.` }] };
  return describeBug(error);
}

function describeProblems({ problems }: InputError): ReportedError {
  const reason = problems.map(each => ({ text: describeProblem(each) }));
  if (problems.length === 1) return { reason };
  const count = new Set(problems.map(({ input }) => input)).size;
  const title = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return { title, reason };
}

function describeBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const title = 'Sandbox Sync itself failed. This is a bug; please report it.';
  return { title, reason: stack.split('\n').map(text => ({ text })) };
}
