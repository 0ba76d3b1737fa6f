import type { Failure } from '../agent/failure.ts';
import { formatBytes, formatCount, formatNumber, formatRate } from '../text/format.ts';
import type { ReportHeader } from './report.ts';
import type { FailureGroup } from './section-view.ts';

// The parts of a section that uploads and downloads share.

interface FailedFile {
  readonly error: Failure;
}

/** Groups failed files by status and hint, since messages differ from file to file. */
export function groupFailures<F extends FailedFile>(failed: readonly F[]): F[][] {
  const groups = Map.groupBy(failed, ({ error }) => `${error.status} ${error.hint}`);
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

export function describeFailures<F extends FailedFile>(
  failed: readonly F[],
  nameOf: (file: F) => string,
): FailureGroup[] {
  // The headline already says that the job was cancelled.
  const reported = failed.filter(({ error }) => error.kind !== 'cancelled');
  return groupFailures(reported).map(group => ({
    message: group[0]?.error.message ?? '',
    hint: group[0]?.error.hint ?? '',
    sources: group.map(nameOf),
  }));
}

// A step-level error or a cancellation already explains why files were not attempted.
export function notAttemptedReasons(
  files: readonly { readonly status: string; readonly reason?: string }[],
  { errors, cancelled }: ReportHeader,
): string[] {
  if (errors.length > 0 || cancelled) return [];
  const unattempted = files.filter(({ status }) => status === 'not-attempted');
  const reasons = unattempted.map(({ reason = '' }) => reason);
  return [...new Set(reasons)].map(reason => `Not attempted: ${reason}`);
}

export function describeTransfer(
  count: number,
  bytes: number,
  { retries, durationMs }: { readonly retries: number; readonly durationMs: number },
): string {
  if (count === 0) return '';
  // Below a second, the rate says more about latency than about the network.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  const repeated = clause(retries, retries === 1 ? 'retry' : 'retries');
  return `${formatCount(count, 'file')}, ${formatBytes(bytes)}${rate}${repeated}`;
}

export function clause(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}
