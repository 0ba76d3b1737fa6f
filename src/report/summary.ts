import path from 'node:path';
import {
  abbreviate,
  formatBytes,
  formatBytesEvenly,
  formatCount,
  formatDuration,
  formatNumber,
  formatRate,
  totalSize,
} from '../text/format.ts';
import { quote } from '../text/visible.ts';
import type { FileResult } from '../upload/result.ts';
import { type Cell, code, concat, type Html, html, prose, table } from './html.ts';
import { hiddenNotice, notices } from './notices.ts';
import {
  countFiles,
  isUpload,
  moreInReport,
  nameDigest,
  type Report,
  succeeded,
} from './report.ts';
import { statsSection } from './stats-section.ts';
import { adviceFor, failureGroups, furtherLines, verdictSentences } from './verdict.ts';

// GitHub drops a summary above 1 MiB; these limits, with html.ts's on texts, keep it shorter.
const MAX_ROWS = 10;
const MAX_LINES = 30;
const MAX_PLANNED = 50;
const MAX_NAMES = 5;

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';

/** The job summary, in blocks of HTML. */
export function summary(report: Report): string {
  const [title = '', ...others] = verdictSentences(report);
  const blocks = [
    html`<h3>${markOf(report)} Sandbox Sync${nameSandbox(report)}: ${prose(title)}</h3>`,
    ...others.map(line => html`<p>${prose(line)}</p>`),
    ...failureSection(report),
    ...list(furtherLines(report), MAX_LINES, prose),
    ...statsSection(report),
    ...planSection(report),
    ...uploadTable(report),
    ...list([...hiddenNotice(report), ...notices(report), ...report.warnings], MAX_LINES, prose),
    ...skippedSection(report),
    ...fileSection(report),
    footer(report),
  ];
  return blocks.map(block => `${block.html}\n\n`).join('');
}

function markOf(report: Report): string {
  if (report.cancelled) return '⛔';
  if (!succeeded(report)) return '❌';
  const isEmpty = report.files.length === 0 && !report.shard?.planned;
  return (isUpload(report) && isEmpty) || report.gate.state === 'warned' ? '⚠️' : '✅';
}

/** In the heading, since the summaries of a matrix differ in nothing else. */
function nameSandbox({ name, sandboxId }: Report): Html {
  if (name !== '') return html` (${code(name)}, ${code(sandboxId)})`;
  return sandboxId === '' ? html`` : html` (${code(sandboxId)})`;
}

function list<T>(items: readonly T[], limit: number, show: (item: T) => Html): Html[] {
  if (items.length === 0) return [];
  const shown = abbreviate(items, limit, { show, more: rest => html`${moreInReport(rest)}` });
  return [html`<ul>${concat(shown.map(item => html`\n<li>${item}</li>`))}\n</ul>`];
}

function footer({ sandboxId, baseUrl }: Report): Html {
  const where = sandboxId === '' ? '' : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${where}<a href="${DOCS}/summary.md">How to read this</a> · ${messages}</p>`;
}

function failureSection(report: Report): Html[] {
  const groups = failureGroups(report);
  if (groups.length === 0) return [];
  const items = list(groups, MAX_ROWS, ({ error, sources }) => {
    const advice = prose(adviceFor(error, report));
    return html`${prose(error.message)}<br>${advice}<br>${describeFiles(sources)}`;
  });
  return [html`<h4>What failed</h4>`, ...items];
}

/** A few files by name; of many, their folders with counts first. */
function describeFiles(sources: readonly string[]): Html {
  const names = abbreviate(sources, MAX_NAMES, {
    show: code,
    more: rest => html`${moreInReport(rest)}`,
  });
  if (sources.length <= MAX_NAMES) return concat(names, ', ');
  const byFolder = [...Map.groupBy(sources, source => path.posix.dirname(source))];
  const folders = abbreviate(
    byFolder.sort(([, one], [, other]) => other.length - one.length),
    MAX_ROWS,
    {
      show: ([folder, own]) => html`${code(folder)}: ${formatCount(own.length, 'file')}`,
      more: rest => html`and ${formatCount(rest, 'more folder')}`,
    },
  );
  return html`${concat(folders, ', ')}<br>${concat(names, ', ')}`;
}

/** How the upload went, one line per figure: side by side they would be too wide for a phone. */
function uploadTable(report: Report): Html[] {
  if (report.files.length === 0 || report.dryRun) return [];
  const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = countFiles(report);
  const { durationMs, durations, digest } = report;
  const attempts = report.files.map(file => ('attempts' in file ? file.attempts - 1 : 0));
  const count = (number: number) => (number === 0 ? '' : formatNumber(number));
  const time = (ms = 0) => (ms === 0 ? '' : formatDuration(ms));
  const rows = [
    ['Uploaded', count(uploaded)],
    ['Size', uploaded === 0 ? '' : formatBytes(uploadedBytes)],
    ['Rate', uploaded === 0 ? '' : formatRate(uploadedBytes, durationMs)],
    ['Unchanged', count(unchanged)],
    ['Failed', count(failed)],
    ['Not attempted', count(notAttempted)],
    ['Skipped', count(skipped)],
    ['Retries', count(attempts.reduce((sum, number) => sum + number, 0))],
    ['Searching', time(durations.search)],
    ['Waiting', time(durations.wait)],
    ['Uploading', time(durationMs)],
    ['Sampling', time(durations.stats)],
  ].filter(([, value]) => value !== '');
  const cells = rows.map(([name = '', value = '']) => [html`${name}`, value]);
  // In the table, its 71 characters would push all figures off a phone's screen.
  const digestLine = digest === '' ? [] : [html`<p>${nameDigest(report)}: ${code(digest)}</p>`];
  return [table(['Upload', ''], cells), ...digestLine];
}

/** The plan of a dry run, which is what it was run for. */
function planSection({ files, dryRun }: Report): Html[] {
  const planned = files.filter(({ status }) => status === 'skipped');
  if (!dryRun || planned.length === 0) return [];
  const rows = abbreviate<FileResult, Cell[]>(planned, MAX_PLANNED, {
    show: ({ file }) => [code(file.source), formatBytesEvenly(file.size), code(file.target)],
    more: rest => [html`${moreInReport(rest)}`],
  });
  return [table(['File', 'Size', 'In the sandbox'], rows)];
}

function skippedSection({ skipped }: Report): Html[] {
  if (skipped.length === 0) return [];
  const lines = skipped.map(({ path: place, reason }) => `${quote(place)}: ${reason}`);
  return [html`<h4>What was skipped</h4>`, ...list(lines, MAX_LINES, prose)];
}

/** The uploaded files: by folder, the largest, the slowest, each only if it adds something. */
function fileSection({ files }: Report): Html[] {
  const uploaded = files.filter(result => result.status === 'uploaded');
  if (uploaded.length === 0) return [];
  const largest = uploaded.toSorted((one, other) => other.size - one.size);
  // The files of one batch share its time, and say it once.
  const slowest = [...Map.groupBy(uploaded, ({ durationMs }) => durationMs)]
    .sort(([one], [other]) => other - one)
    .flatMap(([, same]) => same.slice(0, 1));
  const tables = [
    ...folderTable(uploaded),
    fileTable(uploaded.length > MAX_ROWS ? 'Largest' : 'File', largest),
    ...(uploaded.length > MAX_ROWS && slowest.length > 1 ? [fileTable('Slowest', slowest)] : []),
  ];
  return [
    html`<details><summary>${formatCount(uploaded.length, 'file')}</summary>
${concat(tables)}
</details>`,
  ];
}

type Uploaded = Extract<FileResult, { status: 'uploaded' }>;

function folderTable(uploaded: readonly Uploaded[]): Html[] {
  const folders = [...Map.groupBy(uploaded, ({ file }) => path.posix.dirname(file.source))]
    .map(([name, own]) => ({ name, count: own.length, bytes: totalSize(own) }))
    .sort((one, other) => other.bytes - one.bytes);
  if (folders.length < 2) return [];
  const rows = abbreviate<(typeof folders)[number], Cell[]>(folders, MAX_ROWS, {
    show: ({ name, count, bytes }) => [code(name), formatNumber(count), formatBytesEvenly(bytes)],
    more: rest => [html`${moreInReport(rest)}`],
  });
  return [table(['Folder', 'Files', 'Size'], rows)];
}

function fileTable(heading: string, files: readonly Uploaded[]): Html {
  const rows = files
    .slice(0, MAX_ROWS)
    .map(result => [
      code(result.file.source),
      formatBytesEvenly(result.size),
      formatDuration(result.durationMs),
      code(result.path),
    ]);
  // The figures come first, since a phone only shows the first columns.
  return table([heading, 'Size', 'Time', 'In the sandbox'], rows);
}
