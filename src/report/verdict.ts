import { AgentError } from '../agent/failure.ts';
import type { Breach } from '../gate/gate.ts';
import { aggregateOf, figuresOf } from '../gate/judge.ts';
import { describeProblem, type InputError } from '../inputs/parse.ts';
import type { WaitEnd } from '../stats/wait.ts';
import { formatBytes, formatCount, formatDuration, formatNumber } from '../text/units.ts';
import { formatFigure, judgementLine } from './figures.ts';
import { type Report, type ReportedError, totals } from './report.ts';
import { shardName } from './share.ts';

/** Failures with the same message. */
export interface FailureGroup {
  /** One of the errors; the others say the same. */
  readonly error: AgentError;
  /** The files concerned, in plan order. */
  readonly sources: readonly string[];
}

/** What came of a run: in the action's own words, and in those of an error, which may hold words from elsewhere. */
export interface Verdict {
  /** Empty where there is only an error. */
  readonly own: string;
  readonly error: string;
}

/** What came of the run, in one line. */
export function headline(report: Report): string {
  const { own, error } = verdict(report);
  return [own, error].filter(part => part !== '').join(' ');
}

export function verdict(report: Report): Verdict {
  const error = report.errors[0]?.message ?? '';
  const done = `${whatWasDone(report)}${whichShare(report)}`;
  if (report.cancelled)
    return { own: `Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}.`, error: '' };
  if (error !== '' && report.files.length === 0) return { own: '', error };
  const { failed, notAttempted } = totals(report);
  if (failed + notAttempted > 0) return { own: `${done}.`, error };
  if (error !== '') return { own: `${done}, but the step failed:`, error };
  if (report.gate.state !== 'failed') return { own: `${done}.`, error: '' };
  return { own: `${done}, but the gate is shut: ${conditionsOf(report, 'fail')}.`, error: '' };
}

function whatWasDone(report: Report): string {
  const { task, files, leftOut, dryRun, cancelled, durationMs } = report;
  if (task === 'stats' || task === 'monitor') return usage(report);
  const { planned, plannedBytes, unchanged, unchangedBytes, ...sent } = totals(report);
  const { uploaded, uploadedBytes, failed, notAttempted } = sent;
  const left = leftOut.length === 0 ? '' : `, ${formatNumber(leftOut.length)} left out`;
  const same = unchanged === 0 ? '' : `, ${formatNumber(unchanged)} unchanged`;
  const due = formatCount(planned - unchanged, 'file');
  if (files.length === 0) return nothingPlanned(report);
  if (planned === unchanged) {
    const nothing = dryRun ? 'Dry run: nothing would be uploaded' : 'Nothing was sent';
    return `${nothing}, ${formatCount(unchanged, 'file')} unchanged${left}`;
  }
  if (dryRun)
    return `Dry run: ${due} (${formatBytes(plannedBytes - unchangedBytes)}) would be uploaded${same}${left}; nothing was sent`;
  const arrived = `${formatNumber(uploaded)} of ${due} arrived`;
  if (failed + notAttempted > 0) return `${arrived}, ${failures(failed, notAttempted)}${same}`;
  if (cancelled || report.errors.length > 0) return `${arrived}${same}`;
  return `Uploaded ${formatCount(uploaded, 'file')} (${formatBytes(uploadedBytes)}) in ${formatDuration(durationMs)}${same}${left}`;
}

function nothingPlanned({ share }: Report): string {
  if (share === undefined || share.planned === 0) return 'There was no file to upload';
  return `Of ${formatCount(share.planned, 'file')}, none falls to this run`;
}

function whichShare({ share }: Report): string {
  return share === undefined ? '' : ` (${shardName(share)})`;
}

function failures(failed: number, notAttempted: number): string {
  const parts = [
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(notAttempted > 0 ? [`${formatNumber(notAttempted)} not attempted`] : []),
  ];
  return parts.join(', ');
}

/** What kept a step that waited from going on. */
export function waitError({ missing, error, waitedMs }: Extract<WaitEnd, { held: false }>): ReportedError {
  if (error !== undefined && !error.retryable) return reportedError(error);
  const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
  const last = error === undefined ? [] : [error.message, error.hint];
  return { message, details: [...missing.map(judgementLine), ...last] };
}

/** The failed files, those with the same message together, the largest group first. */
export function failureGroups(report: Report): FailureGroup[] {
  const groups = new Map<string, { error: AgentError; sources: string[] }>();
  for (const result of report.files) {
    if (result.status !== 'failed') continue;
    const key = result.error.message;
    const group = groups.get(key) ?? { error: result.error, sources: [] };
    group.sources.push(result.file.source);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.sources.length - a.sources.length);
}

/** The tripped conditions of a level, as written. */
function conditionsOf({ gate }: Report, level: Breach['level']): string {
  return gate.breaches
    .filter(breach => breach.level === level)
    .map(({ condition }) => condition.text)
    .join(', ');
}

/** What the sandbox uses, or used at most over several samples. */
function usage({ samples, cancelled }: Report): string {
  if (samples.length === 0)
    return cancelled ? 'The sandbox had not been read' : 'There are no stats of the sandbox';
  const all = samples.map(({ stats }) => stats.figures);
  const shares = Object.entries(SHARES).flatMap(([name, metric]) => {
    const figures = figuresOf(metric, all);
    return figures === undefined ? [] : [`${name} ${formatFigure(metric, aggregateOf('max', figures))}`];
  });
  const figures = shares.length === 0 ? 'no share of CPU, memory or disk' : shares.join(', ');
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `At most in ${samples.length} samples: ${figures}`;
}

const SHARES: Readonly<Record<string, string>> = {
  CPU: 'cpu_used_pct',
  memory: 'mem_used_pct',
  disk: 'disk_used_pct',
};

/** What to do about a failure; a full disk with the sandbox's figures, where they are known. */
export function adviceOn(error: AgentError, report: Report): string {
  const used = report.stats?.figures.get('disk_used');
  const total = report.stats?.figures.get('disk_total');
  if (error.kind !== 'disk-full' || used === undefined || total === undefined) return error.hint;
  return `${error.hint} It uses ${formatBytes(used)} of ${formatBytes(total)}.`;
}

/** The lines that belong to the headline: its error's details, and whatever else failed beside single files. */
export function furtherLines({ errors }: Report): string[] {
  return errors.flatMap(({ message, details }, index) => (index === 0 ? details : [message, ...details]));
}

/** What is reported of an error that kept the step from its work, or the stats from being read. */
export function reportedError(error: InputError | AgentError): ReportedError {
  if (error instanceof AgentError) return { message: error.message, details: hintsOf(error) };
  const lines = error.problems.map(describeProblem);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return { message: only, details: ['Nothing was sent.'] };
  return { message: `The inputs have ${lines.length} problems. Nothing was sent.`, details: lines };
}

/** A cancelled run says so at its very beginning. */
function hintsOf(error: AgentError): readonly string[] {
  return error.kind === 'cancelled' ? [] : [error.hint];
}
