import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import type { WaitResult } from '../stats/sample.ts';
import { formatCount, formatDuration } from '../text/format.ts';
import { judgementLine } from './figures.ts';

export interface ReportedError {
  readonly message: string;
  readonly details: readonly string[];
}

/** Describes an error with its hint, its problems, the words of the system, or the stack of a bug. */
export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError)
    return { message: error.message, details: error.kind === 'cancelled' ? [] : [error.hint] };
  if (error instanceof InputError) return describeProblems(error);
  return isSystemError(error) ? { message: `${error.message}.`, details: [] } : describeBug(error);
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

function describeProblems({ problems }: InputError): ReportedError {
  const [only = '', ...others] = problems.map(describeProblem);
  if (others.length === 0) return { message: only, details: [] };
  const count = new Set(problems.map(({ input }) => input)).size;
  const inputs = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return { message: inputs, details: [only, ...others] };
}

function describeBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. This is a bug; please report it.',
    details: stack.split('\n'),
  };
}

/** Explains why the sandbox was not ready in time. */
export function waitError({ unmet, error, waitedMs }: WaitResult): ReportedError {
  if (error !== undefined && !error.isRetryable) return toReportedError(error);
  const last = error === undefined ? [] : [error.message, error.hint];
  return {
    message: `The sandbox was not ready within ${formatDuration(waitedMs)}.`,
    details: [...unmet.map(judgementLine), ...last],
  };
}
