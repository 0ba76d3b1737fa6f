import { AgentError } from '../agent/failure.ts';
import { aggregateOf, figuresOf } from '../gate/judge.ts';
import { describeProblem, type InputError } from '../inputs/parse.ts';
import type { Wait } from '../stats/sample.ts';
import { formatBytes, formatCount, formatDuration, formatNumber } from '../text/units.ts';
import { breachSentence, formatFigure, judgementLine } from './figures.ts';
import { type Report, type ReportedError, shardName, totals } from './report.ts';

/** What came of the run, in one line. */
export function headline(report: Report): string {
  const { own, error } = verdict(report);
  return [...own, error].filter(part => part !== '').join(' ');
}

/**
 * What came of a run: in the action's `own` words, a sentence each, and in those of an error, which may hold words from
 * elsewhere. Either may be empty.
 */
export function verdict(report: Report) {
  const { files, errors, gate, share, cancelled } = report;
  const error = errors[0]?.message ?? '';
  const done = `${whatWasDone(report)}${share === undefined ? '' : ` (${shardName(share)})`}`;
  const judged = gateSentences(report);
  if (cancelled) return { own: [`Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}.`, ...judged], error: '' };
  const [tripped, rest] = gate.state === 'failed' ? [judged, []] : [[], judged];
  if (error !== '' && files.length === 0) return { own: tripped, error };
  const { failed, notAttempted } = totals(report);
  const isOther = error !== '' && failed + notAttempted === 0;
  return { own: [...tripped, isOther ? `${done}, but the step failed:` : `${done}.`, ...rest], error };
}

/** The sentence on the gate; none where nothing could be read, which an error says. */
function gateSentences({ gate: { state, breaches }, samples }: Report): string[] {
  if (state === 'passed') return ['The gate passed.'];
  const [first, ...others] = breaches.filter(({ level }) => level === (state === 'failed' ? 'fail' : 'warn'));
  if (first === undefined || samples.length === 0) return [];
  const more = others.length === 0 ? '' : `, and ${formatCount(others.length, 'other condition')} tripped`;
  return [`${breachSentence(first, samples)}${more}, so the gate ${state}.`];
}

function whatWasDone(report: Report): string {
  const { task, files, leftOut, errors, dryRun, cancelled, durationMs } = report;
  if (task === 'stats' || task === 'monitor') return usage(report);
  if (files.length === 0) return nothingPlanned(report);
  const { planned, unchanged, uploaded, failed, notAttempted, ...bytes } = totals(report);
  const due = formatCount(planned - unchanged, 'file');
  const [same, left] = [also(unchanged, 'unchanged'), also(leftOut.length, 'left out')];
  if (planned === unchanged) {
    const nothing = dryRun ? 'Dry run: nothing would be uploaded' : 'Nothing was sent';
    return `${nothing}, ${formatCount(unchanged, 'file')} unchanged${left}`;
  }
  if (dryRun) {
    const size = formatBytes(bytes.plannedBytes - bytes.unchangedBytes);
    return `Dry run: ${due} (${size}) would be uploaded${same}${left}; nothing was sent`;
  }
  if (failed + notAttempted + errors.length > 0 || cancelled) {
    const lost = `${also(failed, 'failed')}${also(notAttempted, 'not attempted')}`;
    return `${formatNumber(uploaded)} of ${due} arrived${lost}${same}`;
  }
  const size = formatBytes(bytes.uploadedBytes);
  return `Uploaded ${formatCount(uploaded, 'file')} (${size}) in ${formatDuration(durationMs)}${same}${left}`;
}

function also(count: number, what: string): string {
  return count === 0 ? '' : `, ${formatNumber(count)} ${what}`;
}

function nothingPlanned({ share }: Report): string {
  if (share === undefined || share.planned === 0) return 'There were no files to upload';
  return `None of ${formatCount(share.planned, 'file')} belongs to this shard`;
}

const USED = { CPU: 'cpu_used_pct', memory: 'mem_used_pct', disk: 'disk_used_pct' } as const;

/** What the sandbox uses, or used at most over several samples. */
function usage({ samples, cancelled }: Report): string {
  if (samples.length === 0) return cancelled ? 'No stats were read yet' : 'There are no stats for the sandbox';
  const all = samples.map(({ figures }) => figures);
  const used = Object.entries(USED).flatMap(([name, metric]) => {
    const figures = figuresOf(metric, all);
    return figures === undefined ? [] : `${name} ${formatFigure(metric, aggregateOf('max', figures))}`;
  });
  const figures = used.length === 0 ? 'no CPU, memory or disk usage' : used.join(', ');
  return samples.length === 1
    ? `The sandbox reports ${figures}`
    : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}

/** The lines that belong to the headline: its error's details, and whatever else failed beside single files. */
export function furtherLines({ errors }: Report): string[] {
  return errors.flatMap(({ message, details }, index) => (index === 0 ? details : [message, ...details]));
}

/** The failed files in plan order, those with the same message together under one of their errors, the largest group first. */
export function failureGroups({ files }: Report) {
  const groups = new Map<string, { readonly error: AgentError; readonly sources: string[] }>();
  for (const { error, file } of files.filter(result => result.status === 'failed')) {
    const group = groups.get(error.message) ?? { error, sources: [] };
    group.sources.push(file.source);
    groups.set(error.message, group);
  }
  return [...groups.values()].sort((a, b) => b.sources.length - a.sources.length);
}

/** What to do about a failure; a full disk with the sandbox's figures, where they are known. */
export function adviceOn({ kind, hint }: AgentError, { stats }: Report): string {
  const used = stats?.figures.get('disk_used');
  const total = stats?.figures.get('disk_total');
  if (kind !== 'disk-full' || used === undefined || total === undefined) return hint;
  return `${hint} Its root file system uses ${formatBytes(used)} of ${formatBytes(total)}; the target may be on another.`;
}

/** What is reported of an error that kept the step from its work, or the stats from being read. */
export function reportedError(error: InputError | AgentError): ReportedError {
  if (error instanceof AgentError) {
    // A cancelled run says so at its very beginning.
    return { message: error.message, details: error.kind === 'cancelled' ? [] : [error.hint] };
  }
  const lines = error.problems.map(describeProblem);
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) return { message: only, details: ['Nothing was sent.'] };
  return { message: `The inputs have ${lines.length} problems. Nothing was sent.`, details: lines };
}

/** What kept a step that waited from going on. */
export function waitError({ missing, error, waitedMs }: Wait): ReportedError {
  if (error !== undefined && !error.retryable) return reportedError(error);
  const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
  const last = error === undefined ? [] : [error.message, error.hint];
  return { message, details: [...missing.map(judgementLine), ...last] };
}
