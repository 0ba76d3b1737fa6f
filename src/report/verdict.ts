import { AgentError } from '../agent/failure.ts';
import { describeProblem, type InputError } from '../inputs/parse.ts';
import { type ReportedError, type SyncReport, totals } from './report.ts';
import { formatBytes, formatCount, formatDuration, formatNumber } from './units.ts';

/** Failures of one kind. */
export interface FailureGroup {
  /** One of the errors; the others are of the same kind and status. */
  readonly error: AgentError;
  /** The files concerned, in plan order. */
  readonly sources: readonly string[];
}

/** What came of the run, in one line. */
export function headline(report: SyncReport): string {
  const { planned, uploaded, failed, notAttempted, uploadedBytes } = totals(report);
  const [error] = report.errors;
  const arrived = `${formatNumber(uploaded)} of ${formatCount(planned, 'file')} arrived`;
  if (report.cancelled) return `Cancelled: ${arrived}.`;
  if (failed + notAttempted > 0)
    return [`${arrived}, ${failures(failed, notAttempted)}.`, error?.message].join(' ').trim();
  if (error !== undefined)
    return planned === 0 ? error.message : `${arrived}, but the step failed: ${error.message}`;
  if (report.dryRun) return `Dry run: ${formatCount(planned, 'file')} would be uploaded. Nothing was sent.`;
  if (planned === 0) return 'There was no file to upload.';
  return `Uploaded ${formatCount(uploaded, 'file')} (${formatBytes(uploadedBytes)}) in ${formatDuration(report.durationMs)}.`;
}

function failures(failed: number, notAttempted: number): string {
  const parts = [
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(notAttempted > 0 ? [`${formatNumber(notAttempted)} not attempted`] : []),
  ];
  return parts.join(', ');
}

/** The failed files, those of one kind and status together, the largest group first. */
export function failureGroups(report: SyncReport): FailureGroup[] {
  const groups = new Map<string, { error: AgentError; sources: string[] }>();
  for (const result of report.files) {
    if (result.status !== 'failed') continue;
    const key = `${result.error.kind} ${result.error.status}`;
    const group = groups.get(key) ?? { error: result.error, sources: [] };
    group.sources.push(result.file.source);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.sources.length - a.sources.length);
}

/** What to do about a failure; a full disk with the sandbox's figures, where they are known. */
export function adviceOn(error: AgentError, report: SyncReport): string {
  const used = report.stats?.figures.get('disk_used');
  const total = report.stats?.figures.get('disk_total');
  if (error.kind !== 'disk-full' || used === undefined || total === undefined) return error.hint;
  return `${error.hint} It uses ${formatBytes(used)} of ${formatBytes(total)}.`;
}

/** The lines that belong to the headline: its error's details, and whatever else failed beside single files. */
export function furtherLines({ errors }: SyncReport): string[] {
  return errors.flatMap(({ message, details }, index) => (index === 0 ? details : [message, ...details]));
}

/** What is reported of an error that kept the step from its work, or the stats from being read. */
export function reportedError(error: InputError | AgentError): ReportedError {
  if (error instanceof AgentError) return { message: error.message, details: [error.hint] };
  const lines = error.problems.map(describeProblem);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return { message: only, details: ['Nothing was sent.'] };
  return { message: `The inputs have ${lines.length} problems. Nothing was sent.`, details: lines };
}
