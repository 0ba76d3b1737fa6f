import { isMemory } from '../gate/metrics.ts';
import { describePrograms, renderCommand } from './command-section.ts';
import { renderDownload } from './download-section.ts';
import type { Html } from './html.ts';
import type { Report, Results } from './report.ts';
import {
  type Reason,
  type ReasonLine,
  type RenderedSection,
  textsOf,
  withMarkup,
} from './section.ts';
import { renderStats } from './stats-section.ts';
import { renderUpload } from './upload-section.ts';

/** A step's outcome, for the log, the outputs, the summary and report.json. */
export interface RenderedReport {
  readonly level: RenderedSection['level'] | 'cancelled';
  /** The first problem, or else what was done. */
  readonly title: ReasonLine;
  /** Details of the title, and the other problems. */
  readonly reasons: readonly Reason[];
  readonly problems: readonly Reason[];
  readonly fileFailures: readonly Reason[];
  readonly warnings: readonly ReasonLine[];
  readonly notices: readonly string[];
  readonly fileLines: readonly string[];
  readonly facts: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** Undefined if the step has no upload. */
  readonly checksums: string | undefined;
  readonly blocks: readonly Html[];
  readonly json: Readonly<Partial<Record<keyof Results, object>>>;
}

export function renderReport(report: Report): RenderedReport {
  const sections = sectionsOf(report);
  const all = Object.values(sections);
  const problems = [report.error ?? [], ...all.flatMap(({ problems = [] }) => problems)].filter(
    ({ length }) => length > 0,
  );
  const done = all.map(section => section.done).filter(sentence => sentence !== '');
  const [[firstLine, ...details] = [], ...others] = problems;
  const title = firstLine ?? withMarkup(done.join(' '));
  return {
    level: levelOf(report, problems, all),
    title: report.cancelled ? { ...title, text: `Cancelled. ${title.text}`.trimEnd() } : title,
    reasons: [...details.map(line => [line]), ...others],
    problems,
    fileFailures: all.flatMap(({ fileFailures = [] }) => fileFailures),
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    notices: all.flatMap(({ notices = [] }) => notices),
    fileLines: all.flatMap(({ fileLines = [] }) => fileLines),
    facts: [
      ...(firstLine === undefined ? [] : done),
      ...all.flatMap(({ facts = [] }) => facts),
      ...describeMemory(report),
    ],
    outputs: Object.assign(
      report.isGateUnseen ? { gate: 'failed' } : {},
      ...all.map(({ outputs }) => outputs),
    ),
    checksums: sections.upload?.checksums,
    blocks: blocksOf(all),
    json: Object.fromEntries(Object.entries(sections).map(([name, { json }]) => [name, json])),
  };
}

/** Says whose memory it was, if the gate tripped on it or something was killed for it. */
function describeMemory({ command, stats }: Report): string[] {
  const { topPrograms, oomKills = 0 } = command ?? {};
  const hasTripped = stats?.gate.judgements.some(
    ({ result, condition }) => result === 'true' && isMemory(condition.metric),
  );
  return topPrograms && (hasTripped || oomKills > 0) ? [describePrograms(topPrograms)] : [];
}

export function succeeded({ level }: Pick<RenderedReport, 'level'>): boolean {
  return level === 'success' || level === 'warning';
}

function sectionsOf(report: Report): Readonly<Partial<Record<keyof Results, RenderedSection>>> {
  const { command, upload, stats, download, cancelled } = report;
  const isOnlyResult = command === undefined && upload === undefined;
  return {
    ...(command && { command: renderCommand(command, cancelled) }),
    ...(upload && { upload: renderUpload(upload, cancelled) }),
    ...(stats && { stats: renderStats(stats, { cancelled, isOnlyResult }) }),
    ...(download && { download: renderDownload(download) }),
  };
}

/** Puts what failed first, then figures, which matter more than a list of files. */
function blocksOf(sections: readonly RenderedSection[]): Html[] {
  const failed = sections.filter(({ level }) => level === 'failure');
  const others = sections.filter(({ level }) => level !== 'failure').toReversed();
  return [...failed, ...others].flatMap(({ blocks = [] }) => blocks);
}

function levelOf(
  { cancelled }: Report,
  problems: readonly Reason[],
  sections: readonly RenderedSection[],
): RenderedReport['level'] {
  if (cancelled) return 'cancelled';
  const levels = sections.map(({ level }) => level);
  if (problems.length > 0 || levels.includes('failure')) return 'failure';
  return levels.includes('warning') ? 'warning' : 'success';
}

// Bump the number in this URL only if a key of report.json is removed or changes its meaning.
const REPORT_SCHEMA_URL =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

export function reportJson(report: Report, rendered: RenderedReport): string {
  const { task, name, sandbox, cancelled } = report;
  const document = {
    $schema: REPORT_SCHEMA_URL,
    task,
    name,
    sandbox: { id: sandbox.id, baseUrl: sandbox.baseUrl },
    succeeded: succeeded(rendered),
    headline: rendered.title.text,
    cancelled,
    errors: rendered.problems.map(problem => {
      const [message = '', ...details] = textsOf(problem);
      return { message, details };
    }),
    warnings: textsOf(rendered.warnings),
    ...rendered.json,
  };
  return `${JSON.stringify(document)}\n`;
}
