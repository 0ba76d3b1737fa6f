import path from 'node:path';
import { firstOf } from '../text/cut.ts';
import { formatBytes, formatCount, formatDuration, formatNumber, formatRate } from '../text/units.ts';
import { quote } from '../text/visible.ts';
import type { FileResult } from '../upload/result.ts';
import { breachLine } from './figures.ts';
import { code, concat, type Html, html, prose, table } from './html.ts';
import { hiddenLine, notices } from './notices.ts';
import { moreInReport, type Report, succeeded, totals } from './report.ts';
import { statsSection } from './stats-section.ts';
import { adviceOn, failureGroups, furtherLines, verdict } from './verdict.ts';

// The platform drops a summary whole that is longer than 1 MiB. With texts cut as html.ts cuts them, these are shorter.
const MAX_ROWS = 10;
const MAX_LINES = 30;

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';

/** The job summary: the verdict, what failed, the stats, the upload, the files. Blocks of HTML, one a paragraph. */
export function summary(report: Report): string {
  const { own, error } = verdict(report);
  const [title = 'Failed', ...others] = own;
  const mark = succeeded(report) ? '✅' : report.cancelled ? '⛔' : '❌';
  const left = report.leftOut.map(({ path: place, reason }) => `${quote(place)}: ${reason}`);
  // Where nothing was read, the errors say so.
  const unjudged = report.gate.breaches.filter(({ holds }) => holds === undefined && report.samples.length > 0);
  const blocks = [
    html`<h3>${mark} Sandbox Sync: ${title}</h3>`,
    ...[...others, error].filter(line => line !== '').map(line => html`<p>${prose(line)}</p>`),
    ...failureTable(report),
    ...list([...furtherLines(report), ...unjudged.map(breach => breachLine(breach, report.samples))]),
    ...statsSection(report),
    ...uploadTable(report),
    ...list([...hiddenLine(report), ...notices(report), ...report.warnings]),
    ...(left.length === 0 ? [] : [html`<h4>What was left out</h4>`, ...list(left)]),
    ...fileTables(report),
    lastLine(report),
  ];
  return blocks.map(block => `${block.html}\n\n`).join('');
}

function list(lines: readonly string[]): Html[] {
  const items = firstOf(lines, MAX_LINES, { show: prose, more: rest => html`${moreInReport(rest)}` });
  return lines.length === 0 ? [] : [html`<ul>${concat(items.map(item => html`\n<li>${item}</li>`))}\n</ul>`];
}

function lastLine({ sandboxId, baseUrl }: Report): Html {
  const where = sandboxId === '' ? '' : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${where}<a href="${DOCS}/summary.md">How to read this</a> · ${messages}</p>`;
}

function uploadTable(report: Report): Html[] {
  if (report.files.length === 0 || report.dryRun) return [];
  const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = totals(report);
  const { durationMs, took } = report;
  const retries = report.files.reduce((sum, file) => sum + ('attempts' in file ? file.attempts - 1 : 0), 0);
  const sent = uploaded === 0 ? ['', ''] : [formatBytes(uploadedBytes), formatRate(uploadedBytes, durationMs)];
  const counts = [uploaded, unchanged, failed, notAttempted, skipped, retries];
  const figures = counts.map(count => (count === 0 ? '' : formatNumber(count)));
  const times = [took.search, took.wait, durationMs, took.stats].map(ms => (ms ? formatDuration(ms) : ''));
  const what = ['Uploaded', 'Unchanged', 'Failed', 'Not attempted', 'Skipped', 'Retries', 'Size', 'Rate'];
  return [table([...what, 'Searching', 'Waiting', 'Uploading', 'Reading stats'], [[...figures, ...sent, ...times]])];
}

function failureTable(report: Report): Html[] {
  const groups = failureGroups(report);
  if (groups.length === 0) return [];
  const rows = groups.slice(0, MAX_ROWS).map(({ error, sources }) => {
    const files = firstOf(sources, MAX_ROWS, {
      show: source => html`${code(source)}<br>`,
      more: rest => html`${moreInReport(rest)}`,
    });
    return [html`${prose(error.message)}<br>${prose(adviceOn(error, report))}`, concat(files)];
  });
  return [html`<h4>What failed</h4>`, table(['Why', 'Files'], rows)];
}

/** The files that went over, or would: their folders, the largest and the slowest; the report file has each. */
function fileTables({ files }: Report): Html[] {
  const moved = files.filter(({ status }) => status === 'uploaded' || status === 'skipped');
  if (moved.length === 0) return [];
  const folders = [...Map.groupBy(moved, ({ file }) => path.posix.dirname(file.source))]
    .map(([name, own]) => ({ name, count: own.length, bytes: own.reduce((sum, { file }) => sum + file.size, 0) }))
    .sort((one, other) => other.bytes - one.bytes);
  const folderRows = firstOf<(typeof folders)[number], (Html | string)[]>(folders, MAX_ROWS, {
    show: ({ name, count, bytes }) => [code(name), formatNumber(count), formatBytes(bytes)],
    more: rest => [html`${moreInReport(rest)}`],
  });
  const most = (heading: string, measure: (result: FileResult) => number) => {
    const first = moved.toSorted((one, other) => measure(other) - measure(one)).slice(0, MAX_ROWS);
    return table([heading, 'In the sandbox', 'Size', 'Time'], first.map(fileRow));
  };
  const tables = [table(['Folder', 'Files', 'Size'], folderRows), most('Largest', ({ file }) => file.size)];
  if (moved.length > MAX_ROWS) tables.push(most('Slowest', result => ('durationMs' in result ? result.durationMs : 0)));
  return [
    html`<details><summary>${formatCount(moved.length, 'file')}: folders, largest, slowest</summary>\n${concat(tables)}\n</details>`,
  ];
}

function fileRow({ file: { source, target, size }, ...result }: FileResult): (Html | string)[] {
  const time = 'durationMs' in result ? formatDuration(result.durationMs) : '';
  return [code(source), code('path' in result ? result.path : target), formatBytes(size), time];
}
