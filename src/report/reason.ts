import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

export interface Reason {
  readonly text: string;
  /** Set if backticks mark code. Other texts may quote the agent, a file name or an input. */
  readonly isTrusted?: true;
  readonly details?: readonly Reason[];
}

/** The reason why a whole step failed. */
export interface ReportedError extends Reason {
  /** A trusted sentence for the title. The reasons omit a text that repeats it. */
  readonly title?: string;
}

export function trusted(text: string): Reason {
  return { text, isTrusted: true };
}

/** Returns a reason's text, and those of its details. */
export function reasonLines({ text, details = [] }: Reason): string[] {
  return [text, ...details.flatMap(reasonLines)];
}

export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError) {
    const details = error.kind === 'cancelled' ? [] : [trusted(error.hint)];
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
