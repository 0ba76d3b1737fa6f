import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Task } from '../inputs/table.ts';
import type { Stats } from '../stats/decode.ts';
import type { Sample } from '../stats/sample.ts';
import { formatCount, formatNumber } from '../text/units.ts';
import type { FileResult } from '../upload/result.ts';
import type { Share } from '../upload/selection.ts';
import type { LeftOut } from '../upload/sources.ts';

/** All there is to say about a run, whatever came of it. */
export interface Report {
  /** Counts up with every change that a reader of the report file would notice. */
  readonly schema: 1;
  readonly task: Task;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly dryRun: boolean;
  /** Whether files went alone that might have shared requests. */
  readonly mayShare: boolean;
  readonly cancelled: boolean;
  /** Which shard of the plan this run was to see to; undefined where all of it. */
  readonly share: Share | undefined;
  /** One result for each file of it, in plan order. */
  readonly files: readonly FileResult[];
  /** What was matched and knowingly not planned. */
  readonly leftOut: readonly LeftOut[];
  /** What was matched but for a name that begins with a dot; the reason is what takes it. */
  readonly hidden: readonly LeftOut[];
  /** Where the sandbox has files that the state file knows, and this run no longer has. */
  readonly gone: readonly string[];
  readonly stats: Stats | undefined;
  /** Every reading that counts, the oldest first. */
  readonly samples: readonly Sample[];
  readonly gate: Gate;
  /** How long the transfer took, in milliseconds. */
  readonly durationMs: number;
  /** How long what comes before it and after it took, in milliseconds. */
  readonly took: Readonly<Partial<Record<'search' | 'wait' | 'stats', number>>>;
  /** What failed beside single files: the input, the stats. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

/** Something that fails the step, beside single files. */
export interface ReportedError {
  /** What happened, in one line. */
  readonly message: string;
  /** Each problem of several, or what to do; a line each. */
  readonly details: readonly string[];
}

/** A report of nothing done, to start from. */
export const EMPTY_REPORT: Report = {
  schema: 1,
  task: 'sync',
  sandboxId: '',
  baseUrl: '',
  dryRun: false,
  mayShare: false,
  cancelled: false,
  share: undefined,
  files: [],
  leftOut: [],
  hidden: [],
  gone: [],
  stats: undefined,
  samples: [],
  gate: NO_GATE,
  durationMs: 0,
  took: {},
  errors: [],
  warnings: [],
};

/** The files of a report, counted. */
export function totals({ files, leftOut }: Report) {
  const counted = {
    planned: files.length,
    /** Bytes of the planned files, when the plan was made. */
    plannedBytes: 0,
    uploaded: 0,
    /** Files that the sandbox had already, and their bytes. */
    unchanged: 0,
    unchangedBytes: 0,
    failed: 0,
    /** Files of a dry run, and what was left out. */
    skipped: leftOut.length,
    notAttempted: 0,
    /** Bytes of the uploaded files, as they were sent. */
    uploadedBytes: 0,
  };
  for (const result of files) {
    const { status, file } = result;
    counted[status === 'not-attempted' ? 'notAttempted' : status] += 1;
    counted.plannedBytes += file.size;
    if (status === 'unchanged') counted.unchangedBytes += file.size;
    if (status === 'uploaded') counted.uploadedBytes += result.size;
  }
  return counted;
}

/** Whether the step succeeds: everything planned arrived, or was never meant to, the gate let it pass, nothing else failed. */
export function succeeded(report: Report): boolean {
  const { errors, gate, cancelled } = report;
  const { failed, notAttempted } = totals(report);
  return failed + notAttempted + errors.length === 0 && gate.state !== 'failed' && !cancelled;
}

/** How a file ended, in words. The only files that are planned and skipped are those of a dry run. */
export const STATUS: Readonly<Record<FileResult['status'], string>> = {
  uploaded: 'uploaded',
  unchanged: 'unchanged',
  failed: 'failed',
  skipped: 'would be uploaded',
  'not-attempted': 'not attempted',
};

/** Which shard it is: `shard 2 of 4`. */
export function shardName({ index, count }: Share): string {
  return `shard ${index} of ${count}`;
}

/** Which shard it is, and how much of the plan: `shard 2 of 4: 500 of 2,000 files`. */
export function shardLine(share: Share): string {
  return `${shardName(share)}: ${formatNumber(share.files)} of ${formatCount(share.planned, 'file')}`;
}

/** What stands for the rest of a list that is cut. */
export function moreInReport(rest: number): string {
  return `and ${formatNumber(rest)} more; the report file has them all`;
}
