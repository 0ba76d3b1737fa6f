import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import type { WaitResult } from '../stats/sample.ts';
import { inlineCode } from '../text/escape.ts';
import {
  abbreviate,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
} from '../text/format.ts';
import { breachLine, describeUsage, judgementLine } from './figures.ts';
import {
  countFiles,
  isUpload,
  listUploaded,
  moreInReport,
  nameShard,
  type Report,
  type ReportedError,
  succeeded,
} from './report.ts';

export interface Verdict {
  readonly level: 'success' | 'warning' | 'failure' | 'cancelled';
  readonly title: string;
  /** Tripped conditions, and errors of the step as a whole. */
  readonly lines: readonly Line[];
  readonly failures: readonly FailureGroup[];
  readonly warnings: readonly Line[];
  readonly notices: readonly string[];
  /** Files, bytes, rate and retries; empty if nothing was uploaded. */
  readonly upload: string;
}

export interface Line {
  /** Backticks mark code, unless the text is foreign. */
  readonly text: string;
  /** True if the text may quote a third party. */
  readonly isUntrusted: boolean;
}

export interface FailureGroup {
  readonly message: string;
  readonly hint: string;
  readonly sources: readonly string[];
}

export function verdictOf(report: Report): Verdict {
  const { gate, samples, warnings } = report;
  const failures = groupFailures(report);
  // Without samples, an error already says why nothing was judged.
  const breaches = samples.length === 0 ? [] : gate.breaches;
  const tripped = (wanted: 'fail' | 'warn') =>
    breaches
      .filter(({ level }) => level === wanted)
      .map(breach => ({ text: breachLine(breach, samples), isUntrusted: false }));
  return {
    level: levelOf(report),
    title: titleOf(report),
    lines: [...tripped('fail'), ...errorLines(report, failures).map(untrusted)],
    failures,
    warnings: [...tripped('warn'), ...warnings.map(untrusted)],
    notices: [...modesNotice(report), ...orphansNotice(report), ...uploadedNotice(report)],
    upload: describeTransfer(report),
  };
}

function untrusted(text: string): Line {
  return { text, isUntrusted: true };
}

function levelOf(report: Report): Verdict['level'] {
  const { cancelled, files, shard, gate } = report;
  if (cancelled) return 'cancelled';
  if (!succeeded(report)) return 'failure';
  const isEmpty = isUpload(report) && files.length === 0 && !shard?.planned;
  return isEmpty || gate.state === 'warned' ? 'warning' : 'success';
}

function titleOf(report: Report): string {
  const { cancelled, shard, gate, samples } = report;
  const outcome = isUpload(report) ? describeUpload(report) : describeUsage(report);
  const shardText = shard === undefined ? '' : ` (${nameShard(shard)})`;
  const isJudged = gate.state !== 'none' && samples.length > 0;
  const judgement = isJudged ? ` The gate ${gate.state}.` : '';
  return `${cancelled ? 'Cancelled. ' : ''}${outcome}${shardText}.${judgement}`;
}

function describeUpload(report: Report): string {
  const { dryRun, errors, durationMs, skipped, cancelled } = report;
  const totals = countFiles(report);
  const { planned, unchanged, uploaded, failed, notAttempted } = totals;
  const unsent = `${clause(unchanged, 'unchanged')}${clause(skipped.length, 'skipped')}`;
  const changed = formatCount(planned - unchanged, 'file');
  if (planned === 0)
    return errors.length > 0 || cancelled ? 'Nothing was sent' : 'There were no files to upload';
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
    return `Dry run: ${changed} (${size}) would be uploaded${unsent}`;
  }
  if (planned === unchanged) return `Nothing was sent${unsent}`;
  if (failed + notAttempted === 0)
    return `Uploaded ${changed} in ${formatDuration(durationMs)}${unsent}`;
  const missing = `${clause(failed, 'failed')}${clause(notAttempted, 'not attempted')}`;
  return `Uploaded ${formatNumber(uploaded)} of ${changed}${missing}${unsent}`;
}

function clause(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}

function describeTransfer(report: Report): string {
  const { uploaded, uploadedBytes } = countFiles(report);
  const { retries, durationMs } = report;
  if (uploaded === 0) return '';
  const rate = formatRate(uploadedBytes, durationMs);
  const repeated = clause(retries, retries === 1 ? 'retry' : 'retries');
  return `${formatCount(uploaded, 'file')}, ${formatBytes(uploadedBytes)}, ${rate}${repeated}`;
}

function errorLines(
  { errors, files, cancelled }: Report,
  failures: readonly FailureGroup[],
): string[] {
  // The failed files already show these hints.
  const hints = new Set(failures.map(({ hint }) => hint));
  const lines = errors.flatMap(({ message, details }) => [message, ...details]);
  if (lines.length > 0) return lines.filter(line => !hints.has(line));
  const reasons = files.flatMap(file => (file.status === 'not-attempted' ? [file.reason] : []));
  return cancelled ? [] : [...new Set(reasons)].map(reason => `Not attempted: ${reason}`);
}

// Messages differ from file to file, so group by status and hint.
function groupFailures({ files }: Report): FailureGroup[] {
  // The title already says that the job was cancelled.
  const failed = files
    .filter(result => result.status === 'failed')
    .filter(({ error }) => error.kind !== 'cancelled');
  const groups = Map.groupBy(failed, ({ error }) => `${error.status} ${error.hint}`);
  return [...groups.values()]
    .map(group => ({
      message: group[0]?.error.message ?? '',
      hint: group[0]?.error.hint ?? '',
      sources: group.map(({ file }) => file.source),
    }))
    .sort((one, other) => other.sources.length - one.sources.length);
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

function modesNotice({ files }: Report): string[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  if (program === undefined) return [];
  const count = formatCount(programs.length, 'executable file');
  return [
    `${count}, such as ${inlineCode(program.file.source)}: uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`,
  ];
}

const MAX_NAMES = 10;

function orphansNotice({ orphaned }: Report): string[] {
  if (orphaned.length === 0) return [];
  const names = abbreviate(orphaned.map(inlineCode), MAX_NAMES, moreInReport);
  return [`Still in the sandbox, but no longer in the build: ${names.join(', ')}`];
}

function uploadedNotice(report: Report): string[] {
  if (!isUpload(report) || listUploaded(report) !== undefined) return [];
  return [
    'The output `uploaded` is `[]`, since it would exceed 256 KiB. The file named by the output `report` lists every file.',
  ];
}

export function toReportedError(error: unknown): ReportedError {
  if (error instanceof AgentError)
    return { message: error.message, details: error.kind === 'cancelled' ? [] : [error.hint] };
  return error instanceof InputError ? reportProblems(error) : reportBug(error);
}

function reportProblems({ problems }: InputError): ReportedError {
  const [only = '', ...others] = problems.map(describeProblem);
  if (others.length === 0) return { message: only, details: [] };
  const count = new Set(problems.map(({ input }) => input)).size;
  const inputs = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid.`;
  return { message: inputs, details: [only, ...others] };
}

function reportBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. This is a bug; please report it.',
    details: stack.split('\n'),
  };
}

export function waitError({ unmet, error, waitedMs }: WaitResult): ReportedError {
  if (error !== undefined && !error.isRetryable) return toReportedError(error);
  const last = error === undefined ? [] : [error.message, error.hint];
  return {
    message: `The sandbox was not ready within ${formatDuration(waitedMs)}.`,
    details: [...unmet.map(judgementLine), ...last],
  };
}
