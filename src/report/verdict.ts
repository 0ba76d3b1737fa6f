import { formatCount } from '../text/format.ts';
import { viewCommand } from './command-section.ts';
import { viewDownload } from './download-section.ts';
import { code, concat, folded, type Html, html, prose, shorten, shortList } from './html.ts';
import { fullReason, type Reason, type ReasonLine, reasonLines } from './reason.ts';
import type { Report } from './report.ts';
import { viewMeasured } from './stats-section.ts';
import { viewUpload } from './upload-section.ts';

/** The result of a step, for the log, the outputs, the summary and report.json. */
export interface Verdict {
  readonly level: 'success' | 'warning' | 'failure' | 'cancelled';
  readonly title: string;
  /** If false, the log puts the reasons first: lists of annotations only show the first line. */
  readonly titleHasCause: boolean;
  /** Why the step failed, except for failed files and for what the title says. */
  readonly reasons: readonly Reason[];
  /** Why files failed. Each becomes a separate annotation, up to GitHub's limit. */
  readonly fileFailures: readonly Reason[];
  readonly warnings: readonly ReasonLine[];
  readonly notices: readonly string[];
  /** A line for each file, failures first. */
  readonly fileLines: readonly string[];
  /** Lines for the end of the log and for the summary. */
  readonly logLines: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /**
   * The text of the file that the output `checksums` names; empty if no file was hashed, and
   * undefined if the step has no upload.
   */
  readonly checksums: string | undefined;
  readonly blocks: readonly Html[];
  /** Merged into report.json. */
  readonly json: object;
}

/** What one section adds to the verdict. */
export interface SectionView extends Partial<Omit<Verdict, 'level' | 'title' | 'titleHasCause'>> {
  readonly level: Exclude<Verdict['level'], 'cancelled'>;
  /** A sentence without its period; can be empty. Only shown for the first section of a report. */
  readonly headline: string;
  /** Follows the headline if the section's level is success, and otherwise precedes it. */
  readonly gateSentence?: string;
}

export function verdictOf(report: Report): Verdict {
  const views = viewsOf(report);
  return {
    level: verdictLevel(report, views),
    title: titleOf(report, views),
    titleHasCause: report.cancelled || report.errors.every(({ title }) => title !== undefined),
    reasons: [
      ...report.errors.map(({ reason }) => reason).filter(({ length }) => length > 0),
      ...views.flatMap(({ reasons = [] }) => reasons),
    ],
    fileFailures: views.flatMap(({ fileFailures = [] }) => fileFailures),
    warnings: [
      ...views.flatMap(({ warnings = [] }) => warnings),
      ...report.warnings.map(text => ({ text })),
    ],
    notices: views.flatMap(({ notices = [] }) => notices),
    fileLines: views.flatMap(({ fileLines = [] }) => fileLines),
    logLines: views.flatMap(({ logLines = [] }) => logLines),
    outputs: Object.assign({}, ...views.map(({ outputs }) => outputs)),
    checksums: views.find(({ checksums }) => checksums !== undefined)?.checksums,
    blocks: views.toReversed().flatMap(({ blocks = [] }) => blocks),
    json: Object.assign({}, ...views.map(({ json }) => json)),
  };
}

export function succeeded({ level }: Verdict): boolean {
  return level === 'success' || level === 'warning';
}

function viewsOf(report: Report): SectionView[] {
  const { command, upload, measured, download } = report;
  return [
    command && viewCommand(command, report),
    upload && viewUpload(upload, report),
    measured && viewMeasured(measured, report),
    download && viewDownload(download, report),
  ].filter(view => view !== undefined);
}

function verdictLevel(
  { cancelled, errors }: Report,
  views: readonly SectionView[],
): Verdict['level'] {
  if (cancelled) return 'cancelled';
  const levels = views.map(({ level }) => level);
  if (errors.length > 0 || levels.includes('failure')) return 'failure';
  return levels.includes('warning') ? 'warning' : 'success';
}

// Puts the cause first, then what was done, then what passed.
function titleOf({ cancelled, errors }: Report, views: readonly SectionView[]): string {
  const headline = views[0]?.headline ?? '';
  const done = headline === '' ? '' : `${headline}.`;
  const judged = views.find(({ gateSentence }) => gateSentence !== undefined);
  const gateSentence = judged?.gateSentence ?? '';
  const sentences = [
    cancelled ? 'Cancelled.' : '',
    ...new Set(errors.map(({ title = '' }) => title)),
    ...(judged?.level === 'success' ? [done, gateSentence] : [gateSentence, done]),
  ];
  return sentences.filter(sentence => sentence !== '').join(' ');
}

// Bump the number in this URL only if a key of report.json is removed or changes its meaning.
const REPORT_SCHEMA_URL =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

export function reportJson(report: Report, verdict: Verdict): string {
  const { task, name, sandboxId, baseUrl, cancelled, errors, warnings } = report;
  const document = {
    $schema: REPORT_SCHEMA_URL,
    task,
    succeeded: succeeded(verdict),
    headline: verdict.title,
    name,
    sandboxId,
    baseUrl,
    cancelled,
    errors: errors.map(error => {
      const [message = '', ...details] = reasonLines(fullReason(error));
      return { message, details };
    }),
    warnings,
    ...verdict.json,
  };
  return `${JSON.stringify(document)}\n`;
}

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const LEVEL_MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

export function summaryOf(report: Report, verdict: Verdict): string {
  const { level, title, reasons, fileFailures, warnings, notices, logLines, blocks } = verdict;
  const mark = LEVEL_MARKS[level];
  const all = [
    html`<h3>${mark} Sandbox Sync${formatNames(report)}: ${prose(title)}</h3>`,
    ...shortList([
      ...[...fileFailures, ...reasons].map(each => html`${mark} ${renderReason(each)}`),
      ...warnings.map(each => html`⚠️ ${renderLine(each)}`),
    ]),
    ...logLines.map(line => html`<p>${line}</p>`),
    ...blocks,
    ...folded(formatCount(notices.length, 'notice'), notices.map(prose)),
    footer(report),
  ];
  return all.map(block => `${block.html}\n\n`).join('');
}

function renderReason(reason: Reason): Html {
  return concat(shorten(reason.map(renderLine)), '<br>');
}

function renderLine({ text, hasMarkup }: ReasonLine): Html {
  return hasMarkup ? prose(text) : code(text.replaceAll('`', ''));
}

// The summaries of a matrix share a page, and only these names tell them apart.
function formatNames({ name, sandboxId }: Report): Html {
  const names = [name, sandboxId].filter(text => text !== '').map(code);
  return names.length === 0 ? html`` : html` (${concat(names, ', ')})`;
}

function footer({ sandboxId, baseUrl }: Report): Html {
  const sandbox =
    sandboxId === '' ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
