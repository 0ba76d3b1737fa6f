import { AgentError } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import type { WaitResult } from '../stats/sample.ts';
import {
  abbreviate,
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
} from '../text/format.ts';
import { breachMessage, figureOver, formatFigure, judgementLine } from './figures.ts';
import { enumerate, foreign, literal, type Message, message } from './html.ts';
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
  /** Failures that do not concern a single file. */
  readonly lines: readonly Message[];
  readonly failures: readonly FailureGroup[];
  readonly warnings: readonly Message[];
  readonly notices: readonly Message[];
  /** Files, bytes, rate and retries; empty if nothing was uploaded. */
  readonly upload: string;
}

export interface FailureGroup {
  readonly message: string;
  readonly hint: string;
  readonly sources: readonly string[];
}

export function conclude(report: Report): Verdict {
  const { gate, samples, warnings } = report;
  const failures = groupFailures(report);
  // Without samples, an error already says why nothing was judged.
  const breaches = samples.length === 0 ? [] : gate.breaches;
  const tripped = (wanted: 'fail' | 'warn') =>
    breaches.filter(({ level }) => level === wanted).map(breach => breachMessage(breach, samples));
  return {
    level: levelOf(report),
    title: titleOf(report),
    lines: [...tripped('fail'), ...errorLines(report, failures)],
    failures,
    warnings: [...tripped('warn'), ...warnings.map(foreign)],
    notices: [...modesNotice(report), ...orphansNotice(report), ...uploadedNotice(report)],
    upload: describeTransfer(report),
  };
}

function levelOf(report: Report): Verdict['level'] {
  const { cancelled, files, shard, gate } = report;
  if (cancelled) return 'cancelled';
  if (!succeeded(report)) return 'failure';
  const isEmpty = isUpload(report) && files.length === 0 && !shard?.planned;
  return isEmpty || gate.state === 'warned' ? 'warning' : 'success';
}

function titleOf(report: Report): string {
  const { cancelled, shard } = report;
  const work = isUpload(report) ? describeUpload(report) : describeUsage(report);
  const done = shard === undefined ? work : `${work} (${nameShard(shard)})`;
  if (!cancelled) return `${done}${endingOf(report)}`;
  return `Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}${endingOf(report)}`;
}

function endingOf(report: Report): string {
  const { files, samples, errors, gate, cancelled } = report;
  const { failed, notAttempted } = countFiles(report);
  const isLost = failed + notAttempted > 0;
  if (gate.state === 'failed' && samples.length > 0) return '. The gate failed.';
  const hasWorked = files.length + samples.length > 0;
  if (errors.length > 0) return hasWorked && !isLost && !cancelled ? ', but the step failed.' : '.';
  // Next to failed files, "The gate passed." would sound like good news.
  const isTold = gate.state === 'warned' || (gate.state === 'passed' && !isLost);
  return isTold && samples.length > 0 ? `. The gate ${gate.state}.` : '.';
}

function describeUpload(report: Report): string {
  const { skipped, errors, dryRun, cancelled, durationMs } = report;
  const totals = countFiles(report);
  const { planned, unchanged, uploaded, failed, notAttempted } = totals;
  if (planned === 0) return describeNothing(report);
  const alsoUnchanged = also(unchanged, 'unchanged');
  const alsoSkipped = also(skipped.length, 'skipped');
  if (planned === unchanged) {
    const nothing = dryRun ? 'Dry run: nothing would be uploaded' : 'Nothing was sent';
    return `${nothing}, ${formatCount(unchanged, 'file')} unchanged${alsoSkipped}`;
  }
  const changed = formatCount(planned - unchanged, 'file');
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
    return `Dry run: ${changed} (${size}) would be uploaded${alsoUnchanged}${alsoSkipped}`;
  }
  if (failed + notAttempted + errors.length > 0 || cancelled) {
    const lost = `${also(failed, 'failed')}${also(notAttempted, 'not attempted')}${alsoUnchanged}`;
    return `Uploaded ${formatNumber(uploaded)} of ${changed}${lost.replace(',', ';')}`;
  }
  const done = `Uploaded ${formatCount(uploaded, 'file')} in ${formatDuration(durationMs)}`;
  return `${done}${alsoUnchanged}${alsoSkipped}`;
}

function also(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}

function describeNothing({ shard, errors }: Report): string {
  if (errors.length > 0) return 'Nothing was sent';
  if (shard === undefined || shard.planned === 0) return 'There were no files to upload';
  return `None of ${formatCount(shard.planned, 'file')} belongs to this shard`;
}

const USED = { CPU: 'cpu_used_pct', memory: 'mem_used_pct', disk: 'disk_used_pct' } as const;

function describeUsage({ samples }: Report): string {
  if (samples.length === 0) return 'No stats were read';
  const used = Object.entries(USED).flatMap(([name, metric]) => {
    const figure = figureOver(metric, 'max', samples);
    return figure === undefined ? [] : `${name} ${formatFigure(metric, figure)}`;
  });
  const figures = used.length === 0 ? 'no CPU, memory or disk usage' : used.join(', ');
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

function describeTransfer(report: Report): string {
  const { uploaded, uploadedBytes } = countFiles(report);
  const { retries } = report;
  if (uploaded === 0) return '';
  const repeated = retries === 1 ? ', 1 retry' : also(retries, 'retries');
  const rate = formatRate(uploadedBytes, report.durationMs);
  return `${formatCount(uploaded, 'file')}, ${formatBytes(uploadedBytes)}, ${rate}${repeated}`;
}

function errorLines({ errors, files, cancelled }: Report, failures: readonly FailureGroup[]) {
  // The failed files already show these hints.
  const given = new Set(failures.map(({ hint }) => hint));
  const lines = errors.flatMap(({ message: what, details }) => [what, ...details]);
  if (lines.length > 0) return lines.filter(line => !given.has(line)).map(foreign);
  const reasons = files.flatMap(file => (file.status === 'not-attempted' ? [file.reason] : []));
  return cancelled ? [] : [...new Set(reasons)].map(reason => foreign(`Not attempted: ${reason}`));
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

function modesNotice({ files }: Report): Message[] {
  const programs = files.filter(({ status, file }) => file.isExecutable && status !== 'unchanged');
  const [program] = programs;
  if (program === undefined) return [];
  return [
    message`${countAre(programs)} executable, such as ${literal(program.file.source)}. Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`,
  ];
}

const MAX_NAMES = 10;

function orphansNotice({ orphaned }: Report): Message[] {
  if (orphaned.length === 0) return [];
  const paths = abbreviate(orphaned, MAX_NAMES, {
    show: literal,
    more: rest => message`${moreInReport(rest)}`,
  });
  return [
    message`${countAre(orphaned)} no longer in the build but still in the sandbox: ${enumerate(paths)}`,
  ];
}

function countAre(files: readonly unknown[]): string {
  return `${formatCount(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'}`;
}

function uploadedNotice(report: Report): Message[] {
  if (!isUpload(report) || listUploaded(report) !== undefined) return [];
  return [
    message`The output ${literal('uploaded')} is ${literal('[]')}, since it would exceed 256 KiB. The file named by the output ${literal('report')} lists every file.`,
  ];
}

/** Describes an error, with the stack if it is a bug. */
export function reportError(error: unknown): ReportedError {
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
  if (error !== undefined && !error.isRetryable) return reportError(error);
  const last = error === undefined ? [] : [error.message, error.hint];
  return {
    message: `The sandbox was not ready within ${formatDuration(waitedMs)}.`,
    details: [...unmet.map(judgementLine), ...last],
  };
}
