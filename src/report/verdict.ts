import { AgentError, type Failure } from '../agent/failure.ts';
import { describeProblem, InputError } from '../inputs/input-error.ts';
import type { Wait } from '../stats/sample.ts';
import { formatBytes, formatCount, formatDuration, formatNumber } from '../text/format.ts';
import { breachLine, breachSentence, figureOver, formatFigure, judgementLine } from './breaches.ts';
import { countFiles, isUpload, nameShard, type Report, type ReportedError } from './report.ts';

export function headline(report: Report): string {
  return withName(report, verdictSentences(report).join(' '));
}

/** A line of the log, which also says whose it is if several monitors run. */
export function withName({ name }: Report, line: string): string {
  return name === '' ? line : `${name}: ${line}`;
}

/** What came of the run, a sentence each, the most important first. */
export function verdictSentences(report: Report): string[] {
  const { files, errors, gate, shard, cancelled } = report;
  const { failed, notAttempted } = countFiles(report);
  const isLost = failed + notAttempted > 0;
  const done = `${describeWork(report)}${shard === undefined ? '' : ` (${nameShard(shard)})`}`;
  const judged = gateSentences(report);
  if (cancelled) return [`Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}.`, ...judged];
  const error = errors.slice(0, 1).map(({ message }) => message);
  const hasTripped = gate.state === 'failed';
  const tripped = hasTripped ? judged : [];
  if (error.length > 0 && files.length === 0) return [...tripped, ...error];
  const isOtherError = error.length > 0 && !isLost;
  // Below lost files, "The gate passed." would read like good news.
  const rest = hasTripped || (isLost && gate.state === 'passed') ? [] : judged;
  return [
    ...tripped,
    isOtherError ? `${done}, but the step failed:` : `${done}.`,
    ...rest,
    ...error,
  ];
}

/** The sentence on the gate; none without samples, since an error says why there are none. */
function gateSentences({ gate: { state, breaches }, samples }: Report): string[] {
  if (state === 'passed') return ['The gate passed.'];
  const level = state === 'failed' ? 'fail' : 'warn';
  const [first, ...others] = breaches.filter(breach => breach.level === level);
  if (first === undefined || samples.length === 0) return [];
  const more =
    others.length === 0 ? '' : `, and ${formatCount(others.length, 'other condition')} tripped`;
  return [`${breachSentence(first, samples)}${more}, so the gate ${state}.`];
}

function describeWork(report: Report): string {
  const { files, skipped, errors, dryRun, cancelled, durationMs } = report;
  if (!isUpload(report)) return describeUsage(report);
  if (files.length === 0) return describeNothing(report);
  const totals = countFiles(report);
  const { planned, unchanged, uploaded, failed, notAttempted } = totals;
  const changed = formatCount(planned - unchanged, 'file');
  const alsoUnchanged = also(unchanged, 'unchanged');
  const alsoSkipped = also(skipped.length, 'skipped');
  const others = `${alsoUnchanged}${alsoSkipped}`;
  if (planned === unchanged) {
    const nothing = dryRun ? 'Dry run: nothing would be uploaded' : 'Nothing was sent';
    return `${nothing}, ${formatCount(unchanged, 'file')} unchanged${alsoSkipped}`;
  }
  if (dryRun) {
    const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
    return `Dry run: ${changed} (${size}) would be uploaded${others}; nothing was sent`;
  }
  if (failed + notAttempted + errors.length > 0 || cancelled) {
    const lost = `${also(failed, 'failed')}${also(notAttempted, 'not attempted')}`;
    const rest = `${lost}${alsoUnchanged}`.replace(',', ';');
    return `Uploaded ${formatNumber(uploaded)} of ${changed}${rest}`;
  }
  const size = formatBytes(totals.uploadedBytes);
  const duration = formatDuration(durationMs);
  return `Uploaded ${formatCount(uploaded, 'file')} (${size}) in ${duration}${others}`;
}

function also(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}

function describeNothing({ shard }: Report): string {
  if (shard === undefined || shard.planned === 0) return 'There were no files to upload';
  return `None of ${formatCount(shard.planned, 'file')} belongs to this shard`;
}

const USED = { CPU: 'cpu_used_pct', memory: 'mem_used_pct', disk: 'disk_used_pct' } as const;

/** What the sandbox uses, or its peak over several samples. */
function describeUsage({ samples, cancelled }: Report): string {
  if (samples.length === 0)
    return cancelled ? 'No stats were read yet' : 'There are no stats for the sandbox';
  const used = Object.entries(USED).flatMap(([name, metric]) => {
    const figure = figureOver(metric, 'max', samples);
    return figure === undefined ? [] : `${name} ${formatFigure(metric, figure)}`;
  });
  const figures = used.length === 0 ? 'no CPU, memory or disk usage' : used.join(', ');
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

/** The lines below the headline: details, other errors, and the conditions that failed. */
export function furtherLines(report: Report): string[] {
  const { errors } = report;
  // Not repeated: the advice that failed files already have.
  const given = new Set(failureGroups(report).map(({ error }) => error.hint));
  const lines = errors.flatMap(({ message, details }, index) =>
    index === 0 ? details : [message, ...details],
  );
  return [...lines.filter(line => !given.has(line)), ...trippedLines(report)];
}

function trippedLines({ gate, samples }: Report): string[] {
  // Without samples, the error says why.
  if (samples.length === 0) return [];
  const tripped = gate.breaches.filter(({ level }) => level === 'fail');
  // The headline names a single condition in full.
  const isNamed = tripped.length === 1 && tripped[0]?.holds === true;
  return isNamed ? [] : tripped.map(breach => breachLine(breach, samples));
}

/** The failed files in plan order, grouped by message, the largest group first. */
export function failureGroups({ files }: Report) {
  const groups = new Map<string, { readonly error: Failure; readonly sources: string[] }>();
  for (const { error, file } of files.filter(result => result.status === 'failed')) {
    const group = groups.get(error.message) ?? { error, sources: [] };
    group.sources.push(file.source);
    groups.set(error.message, group);
  }
  return [...groups.values()].sort((a, b) => b.sources.length - a.sources.length);
}

/** What to do about a failure; for a full disk with the sandbox's figures, if they are known. */
export function adviceFor({ kind, hint }: Failure, { stats }: Report): string {
  const used = stats?.figures.get('disk_used');
  const total = stats?.figures.get('disk_total');
  if (kind !== 'disk-full' || used === undefined || total === undefined) return hint;
  return `${hint} Its root file system uses ${formatBytes(used)} of ${formatBytes(total)}; the target may be on another.`;
}

/** What to report of an error: of a bug, its stack. */
export function reportError(error: unknown): ReportedError {
  // The verdict already says that the job was cancelled.
  if (error instanceof AgentError)
    return { message: error.message, details: error.kind === 'cancelled' ? [] : [error.hint] };
  return error instanceof InputError ? reportProblems(error) : reportBug(error);
}

function reportProblems(error: InputError): ReportedError {
  const lines = error.problems.map(describeProblem);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined)
    return { message: only, details: ['Nothing was sent.'] };
  const count = new Set(error.problems.map(({ input }) => input)).size;
  const inputs = `${formatCount(count, 'input')} ${count === 1 ? 'is' : 'are'} invalid`;
  return { message: `${inputs}; nothing was sent.`, details: lines };
}

function reportBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. This is a bug; please report it.',
    details: stack.split('\n'),
  };
}

/** Why a step that waited for the sandbox did not go on. */
export function waitError({ unmet, error, waitedMs }: Wait): ReportedError {
  if (error !== undefined && !error.isRetryable) return reportError(error);
  const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
  const last = error === undefined ? [] : [error.message, error.hint];
  return { message, details: [...unmet.map(judgementLine), ...last] };
}
