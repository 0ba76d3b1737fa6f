import type { Failure } from '../agent/failure.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  limitList,
  moreInReport,
} from '../text/format.ts';
import type { Report } from './report.ts';
import type { Reason, Verdict } from './verdict.ts';

interface TransferResult {
  readonly status: string;
  readonly error?: Failure;
  readonly reason?: string;
}

export function explainMissing<F extends TransferResult>(
  files: readonly F[],
  nameOf: (file: F) => string,
  { errors, cancelled }: Report,
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

export function describeSpeed(
  count: number,
  bytes: number,
  { retries, durationMs }: { readonly retries: number; readonly durationMs: number },
): string[] {
  if (count === 0) return [];
  // Below a second, the rate says more about latency than about the network.
  const rate = durationMs < 1000 ? '' : `, ${formatRate(bytes, durationMs)}`;
  const repeated = listCounts({ [retries === 1 ? 'retry' : 'retries']: retries });
  return [`${formatCount(count, 'file')}, ${formatBytes(bytes)}${rate}${repeated}`];
}

/** Returns a headline such as `Uploaded 2 files in 3 s` or `Uploaded 2 of 3 files, 1 failed`. */
export function describeDone(
  verb: 'Uploaded' | 'Downloaded',
  done: number,
  wanted: number,
  durationMs: number,
  others: string,
): string {
  const files = formatCount(wanted, 'file');
  return done === wanted
    ? `${verb} ${files} in ${formatDuration(durationMs)}${others}`
    : `${verb} ${formatNumber(done)} of ${files}${others}`;
}

/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
export function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `, ${formatNumber(count)} ${what}`)
    .join('');
}
