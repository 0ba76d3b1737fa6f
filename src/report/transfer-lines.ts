import type { Failure } from '../agent/failure.ts';
import { formatBytes, formatCount, formatNumber, formatRate } from '../text/format.ts';
import type { ReportHeader } from './report.ts';
import type { SectionView } from './verdict.ts';

// The parts of a section that uploads and downloads share.

interface TransferResult {
  readonly status: string;
  readonly error?: Failure;
  readonly reason?: string;
}

/** Groups failed files by status and hint, since messages differ from file to file. */
export function groupFailures<F extends TransferResult>(failed: readonly F[]): F[][] {
  const groups = Map.groupBy(failed, ({ error }) => `${error?.status} ${error?.hint}`);
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

/** Explains why files failed or were not attempted. */
export function explainMissing<F extends TransferResult>(
  files: readonly F[],
  nameOf: (file: F) => string,
  { errors, cancelled }: ReportHeader,
): Required<Pick<SectionView, 'failures' | 'reasons'>> {
  // The headline already says that the job was cancelled.
  const failed = files.filter(({ error }) => error !== undefined && error.kind !== 'cancelled');
  // A step-level error or a cancellation already explains why files were not attempted.
  const isExplained = errors.length > 0 || cancelled;
  const unattempted = files.filter(({ status }) => status === 'not-attempted' && !isExplained);
  const reasons = new Set(unattempted.map(({ reason }) => `Not attempted: ${reason}`));
  return {
    failures: groupFailures(failed).map(group => ({
      message: group[0]?.error?.message ?? '',
      hint: group[0]?.error?.hint ?? '',
      sources: group.map(nameOf),
    })),
    reasons: Array.from(reasons, text => ({ text, isUntrusted: true })),
  };
}

/** Sums up a transfer in one line, or in none if no file was transferred. */
export function describeTransfer(
  count: number,
  bytes: number,
  { retries, durationMs }: { readonly retries: number; readonly durationMs: number },
): string[] {
  if (count === 0) return [];
  // Below a second, the rate says more about latency than about the network.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  const repeated = clause(retries, retries === 1 ? 'retry' : 'retries');
  return [`${formatCount(count, 'file')}, ${formatBytes(bytes)}${rate}${repeated}`];
}

export function clause(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}
