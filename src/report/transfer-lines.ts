import type { Failure } from '../agent/failure.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatNumber,
  formatRate,
  limitList,
  moreInReport,
} from '../text/format.ts';
import type { ReportHeader } from './report.ts';
import type { Reason, Verdict } from './verdict.ts';

// The parts of a section that uploads and downloads share.

interface TransferResult {
  readonly status: string;
  readonly error?: Failure;
  readonly reason?: string;
}

/** Explains why files failed or were not attempted. */
export function explainMissing<F extends TransferResult>(
  files: readonly F[],
  nameOf: (file: F) => string,
  { errors, cancelled }: ReportHeader,
): Pick<Verdict, 'failures' | 'reasons'> {
  // The headline already says that the job was cancelled.
  const failed = files.flatMap(file =>
    file.error === undefined || file.error.kind === 'cancelled'
      ? []
      : [{ ...file.error, name: nameOf(file) }],
  );
  // Messages name their file, so they differ within a group.
  const groups = Map.groupBy(failed, ({ status, hint }) => `${status} ${hint}`);
  const largestFirst = [...groups.values()].sort((one, other) => other.length - one.length);
  // A step-level error or a cancellation already explains why files were not attempted.
  const isExplained = errors.length > 0 || cancelled;
  const unattempted = files.filter(({ status }) => status === 'not-attempted' && !isExplained);
  const reasons = new Set(unattempted.map(({ reason }) => `Not attempted: ${reason}`));
  return {
    failures: largestFirst.flatMap(describeFailures),
    reasons: Array.from(reasons, text => ({ text, isUntrusted: true })),
  };
}

const MAX_NAMES = 5;

/** Quotes the message of the first file. */
function describeFailures(group: readonly (Failure & { readonly name: string })[]): Reason[] {
  const [first] = group;
  if (first === undefined) return [];
  const names = limitList(
    group.map(({ name }) => inlineCode(name)),
    MAX_NAMES,
    moreInReport,
  );
  const count = group.length === 1 ? '' : `${formatCount(group.length, 'file')}: `;
  const details = [first.hint, `${count}${names.join(', ')}`];
  return [
    {
      text: first.message,
      isUntrusted: true,
      details: details.map(text => ({ text, isUntrusted: false })),
    },
  ];
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
