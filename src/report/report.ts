import type { SkippedEntry } from '../files/find.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Shard } from '../inputs/fields.ts';
import type { Task } from '../inputs/inputs.ts';
import type { Sample } from '../stats/sample.ts';
import type { Stats } from '../stats/stats.ts';
import { formatCount, formatNumber, takeWithin } from '../text/format.ts';
import type { FileResult } from '../upload/transfer.ts';

/** Everything there is to say about a run, however it ended. */
export interface Report {
  readonly task: Task;
  /** Tells several monitors of a job apart; empty if they need not be. */
  readonly name: string;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly dryRun: boolean;
  readonly cancelled: boolean;
  /** The part of the plan that this run uploads; undefined if it is all of it. */
  readonly shard: ReportedShard | undefined;
  /** One result per planned file, in plan order. */
  readonly files: readonly FileResult[];
  /** What a pattern matched but is not uploaded. */
  readonly skipped: readonly SkippedEntry[];
  /** Stands for the whole build; empty if a file is missing or was not hashed. */
  readonly digest: string;
  /** Paths in the sandbox that the state file knows and this run no longer uploads. */
  readonly orphaned: readonly string[];
  readonly stats: Stats | undefined;
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** From a monitor's start to its end, in milliseconds since 1970. */
  readonly monitored: { readonly from: number; readonly to: number } | undefined;
  readonly gate: Gate;
  /** How many requests of the transfer were repeated. */
  readonly retries: number;
  /** How long the transfer took, in milliseconds. */
  readonly durationMs: number;
  /** What failed beside single files: the inputs, the stats. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

/** A shard, and how many of the planned files it has. */
export interface ReportedShard extends Shard {
  readonly files: number;
  readonly planned: number;
}

/** Something other than a single file that fails the step. */
export interface ReportedError {
  /** What happened, in one line. */
  readonly message: string;
  /** Each problem of several, or what to do; one per line. */
  readonly details: readonly string[];
}

/** A report of nothing done, to start from. */
export const EMPTY_REPORT: Report = {
  task: 'sync',
  name: '',
  sandboxId: '',
  baseUrl: '',
  dryRun: false,
  cancelled: false,
  shard: undefined,
  files: [],
  digest: '',
  skipped: [],
  orphaned: [],
  stats: undefined,
  samples: [],
  monitored: undefined,
  gate: NO_GATE,
  retries: 0,
  durationMs: 0,
  errors: [],
  warnings: [],
};

/** Counts the files of a report by how they ended. */
export function countFiles({ files, skipped }: Report) {
  const totals = {
    planned: files.length,
    /** When the plan was made. */
    plannedBytes: 0,
    uploaded: 0,
    unchanged: 0,
    unchangedBytes: 0,
    failed: 0,
    /** The files of a dry run, and what patterns matched but is not uploaded. */
    skipped: skipped.length,
    notAttempted: 0,
    /** As they were sent. */
    uploadedBytes: 0,
  };
  for (const result of files) {
    const { status, file } = result;
    totals[status === 'not-attempted' ? 'notAttempted' : status] += 1;
    totals.plannedBytes += file.size;
    if (status === 'unchanged') totals.unchangedBytes += file.size;
    if (status === 'uploaded') totals.uploadedBytes += result.size;
  }
  return totals;
}

/** True if the run was meant to upload files. */
export function isUpload({ task }: Report): boolean {
  return task === 'sync' || task === 'upload';
}

export function succeeded(report: Report): boolean {
  const { errors, gate, cancelled } = report;
  const { failed, notAttempted } = countFiles(report);
  return failed + notAttempted + errors.length === 0 && gate.state !== 'failed' && !cancelled;
}

// GitHub takes 1 MB for all outputs of a job, and other steps have outputs too.
const MAX_LIST_BYTES = 256 * 1024;

/** The uploaded files as a JSON array; undefined if it would be longer than 256 KiB. */
export function listUploaded({ files }: Report): string | undefined {
  const uploaded = files.filter(result => result.status === 'uploaded');
  const entries = uploaded
    .values()
    .map(({ file: { source }, path, size }) => JSON.stringify({ source, path, size }));
  const bytesOf = (entry: string) => Buffer.byteLength(entry) + 1;
  const taken = takeWithin(entries, MAX_LIST_BYTES - 1, bytesOf);
  return taken.length < uploaded.length ? undefined : `[${taken.join(',')}]`;
}

/** Which shard it is: `shard 2 of 4`. */
export function nameShard({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

/** Which shard it is, and how much of the plan: `shard 2 of 4: 500 of 2,000 files`. */
export function describeShard(shard: ReportedShard): string {
  return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
}

/** Names what a digest covers: a shard's is that of its files alone. */
export function nameDigest({ shard }: Report): string {
  return shard === undefined ? 'Digest' : `Digest of ${nameShard(shard)}`;
}

export function moreInReport(rest: number): string {
  return `and ${formatNumber(rest)} more; the report file has them all`;
}
