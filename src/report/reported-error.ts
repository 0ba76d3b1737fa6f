import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import { formatCount } from '../text/format.ts';

export interface ReportedError {
  readonly message: string;
  readonly details: readonly string[];
  /** Trusted text, in which backticks mark code. */
  readonly advice?: readonly string[];
  /** A trusted sentence for the title. The reasons omit a message that repeats it. */
  readonly title?: string;
}

/** Describes an error with its hint, its problems, the system's message, or the stack of a bug. */
export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError)
    return {
      message: error.message,
      details: [],
      advice: error.kind === 'cancelled' ? [] : [error.hint],
    };
  if (error instanceof InputError) return describeProblems(error);
  if (error instanceof Error && 'syscall' in error)
    return { message: `${error.message}.`, details: [] };
  return describeBug(error);
}

export function errorLines({ message, details, advice = [] }: ReportedError): string[] {
  return [message, ...details, ...advice];
}

function describeProblems({ problems }: InputError): ReportedError {
  const [only = '', ...others] = problems.map(describeProblem);
  if (others.length === 0) return { message: only, details: [] };
  const count = new Set(problems.map(({ input }) => input)).size;
  const inputs = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return { message: inputs, details: [only, ...others], title: inputs };
}

function describeBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = 'Sandbox Sync itself failed. This is a bug; please report it.';
  return { message, details: stack.split('\n'), title: message };
}
