import { type Gate, NO_GATE } from '../gate/gate.ts';
import type { Stats } from '../stats/decode.ts';
import type { Sample } from '../stats/sample.ts';
import type { LeftOut } from '../upload/discover.ts';
import type { FileResult } from '../upload/result.ts';
import type { Share } from '../upload/selection.ts';

/** All there is to say about a run, whatever came of it. */
export interface Report {
  /** Counts up with every change that a reader of the report file would notice. */
  readonly schema: 1;
  readonly task: Task;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly dryRun: boolean;
  readonly cancelled: boolean;
  /** Which share of the plan this run was to see to; undefined where all of it. */
  readonly share: Share | undefined;
  /** One result for each file of it, in plan order. */
  readonly files: readonly FileResult[];
  /** What was matched and knowingly not planned. */
  readonly leftOut: readonly LeftOut[];
  /** The last stats read, if they could be had. */
  readonly stats: Stats | undefined;
  /** Every reading that counts, the oldest first. */
  readonly samples: readonly Sample[];
  readonly gate: Gate;
  /** How long the transfer took, in milliseconds. */
  readonly durationMs: number;
  /** What failed beside single files: the input, the stats. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

/** What a step is there for: one of the action's entries. */
export type Task = 'sync' | 'upload' | 'stats' | 'monitor';

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
  cancelled: false,
  share: undefined,
  files: [],
  leftOut: [],
  stats: undefined,
  samples: [],
  gate: NO_GATE,
  durationMs: 0,
  errors: [],
  warnings: [],
};

/** The files of a report, counted. */
export interface Totals {
  readonly planned: number;
  /** Bytes of the planned files, when the plan was made. */
  readonly plannedBytes: number;
  readonly uploaded: number;
  /** Files that the sandbox had already, and their bytes. */
  readonly unchanged: number;
  readonly unchangedBytes: number;
  readonly failed: number;
  /** Files of a dry run, and what was left out. */
  readonly skipped: number;
  readonly notAttempted: number;
  /** Bytes of the uploaded files. */
  readonly uploadedBytes: number;
}

export function totals({ files, leftOut }: Report): Totals {
  const count = (status: FileResult['status']) => files.filter(file => file.status === status).length;
  return {
    planned: files.length,
    plannedBytes: files.reduce((sum, { file }) => sum + file.size, 0),
    uploaded: count('uploaded'),
    unchanged: count('unchanged'),
    unchangedBytes: files.reduce(
      (sum, { status, file }) => sum + (status === 'unchanged' ? file.size : 0),
      0,
    ),
    failed: count('failed'),
    skipped: count('skipped') + leftOut.length,
    notAttempted: count('not-attempted'),
    uploadedBytes: files.reduce((sum, file) => sum + (file.status === 'uploaded' ? file.size : 0), 0),
  };
}

/** Whether the step succeeds: everything planned arrived, or was never meant to, the gate let it pass, nothing else failed. */
export function succeeded(report: Report): boolean {
  const { failed, notAttempted } = totals(report);
  const isGood = report.errors.length === 0 && report.gate.state !== 'failed' && !report.cancelled;
  return failed + notAttempted === 0 && isGood;
}
