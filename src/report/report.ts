import type { SkippedEntry } from '../files/find.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { Task } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/parsers.ts';
import type { Sample } from '../stats/sample.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';

export interface Report {
  readonly task: Task;
  /** The monitor's name; empty for other tasks. */
  readonly name: string;
  readonly sandboxId: string;
  readonly baseUrl: string;
  readonly dryRun: boolean;
  readonly cancelled: boolean;
  readonly shard: ReportedShard | undefined;
  /** One per planned file, in plan order. */
  readonly files: readonly FileResult[];
  readonly skipped: readonly SkippedEntry[];
  /** Empty if a file failed or was not hashed. */
  readonly digest: string;
  /** Paths in the sandbox of files that have left the build, according to the state file. */
  readonly orphaned: readonly string[];
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** Unix milliseconds. */
  readonly monitored: { readonly from: number; readonly to: number } | undefined;
  readonly gate: Gate;
  readonly retries: number;
  readonly durationMs: number;
  /** Failures of the step as a whole, not of single files. */
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

interface ReportedShard extends Shard {
  readonly files: number;
  readonly planned: number;
}

export interface ReportedError {
  readonly message: string;
  readonly details: readonly string[];
}

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
  samples: [],
  monitored: undefined,
  gate: NO_GATE,
  retries: 0,
  durationMs: 0,
  errors: [],
  warnings: [],
};

export function countFiles({ files, skipped }: Report) {
  const totals = {
    planned: files.length,
    plannedBytes: 0,
    uploaded: 0,
    unchanged: 0,
    unchangedBytes: 0,
    failed: 0,
    skipped: skipped.length,
    notAttempted: 0,
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

export function isUpload({ task }: Report): boolean {
  return task === 'sync' || task === 'upload';
}

export function succeeded(report: Report): boolean {
  const { errors, gate, cancelled } = report;
  const { failed, notAttempted } = countFiles(report);
  return failed + notAttempted + errors.length === 0 && gate.state !== 'failed' && !cancelled;
}

// GitHub limits the outputs of a job to 1 MB, which all its steps share.
const MAX_LIST_BYTES = 256 * 1024;

/** Lists the uploaded files as a JSON array, or returns undefined above 256 KiB. */
export function listUploaded({ files }: Report): string | undefined {
  const uploaded = files.filter(result => result.status === 'uploaded');
  const entries = uploaded.map(({ file: { source }, path, size }) => ({ source, path, size }));
  const json = JSON.stringify(entries);
  return Buffer.byteLength(json) > MAX_LIST_BYTES ? undefined : json;
}

export function nameShard({ index, count }: Shard): string {
  return `shard ${index} of ${count}`;
}

export function describeShard(shard: ReportedShard): string {
  return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
}

export function moreInReport(count: number): string {
  return `and ${formatNumber(count)} more; the report file has them all`;
}
