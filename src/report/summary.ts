import { formatBytes, formatCount, formatDuration, formatNumber, formatRate } from '../text/units.ts';
import type { FileResult } from '../upload/result.ts';
import { code, concat, type Html, html, table } from './html.ts';
import { type Report, succeeded, totals } from './report.ts';
import { statsSection } from './stats-section.ts';
import { STATUS } from './status.ts';
import { adviceOn, failureGroups, furtherLines, verdict } from './verdict.ts';

/** The platform drops a summary whole that is longer, in bytes. */
export const MAX_SUMMARY_BYTES = 1024 * 1024;

// So many rows of each kind; with texts cut as html.ts cuts them, all but the list of files stays below the limit.
const MAX_ROWS = 10;
const MAX_LINES = 30;

// Kept free between the list of files and the limit.
const RESERVE_BYTES = 4096;

/** The job summary: the verdict, the stats, the totals, the failures, the files. Blocks of HTML, one a paragraph. */
export function summary(report: Report): string {
  const { own, error } = verdict(report);
  const mark = succeeded(report) ? '✅' : report.cancelled ? '⛔' : '❌';
  const blocks = join([
    html`<h3>${mark} ${own === '' ? 'Failed' : own}</h3>`,
    ...(error === '' ? [] : [html`<p>${code(error)}</p>`]),
    ...notes(report),
    ...statsSection(report),
    ...(report.files.length === 0 || report.dryRun ? [] : [totalsTable(report)]),
    ...failureTables(report),
    ...leftOutTable(report),
  ]);
  const left = MAX_SUMMARY_BYTES - RESERVE_BYTES - Buffer.byteLength(blocks);
  return blocks + join(fileList(report, left));
}

function join(blocks: readonly Html[]): string {
  return blocks.map(block => `${block.html}\n\n`).join('');
}

function notes(report: Report): Html[] {
  const { sandboxId, baseUrl } = report;
  const where = sandboxId === '' ? [] : [html`<p>Sandbox ${code(sandboxId)} at ${code(baseUrl)}</p>`];
  const lines = [...furtherLines(report), ...report.warnings].slice(0, MAX_LINES);
  const items = lines.map(line => html`\n<li>${code(line)}</li>`);
  return items.length === 0 ? where : [...where, html`<ul>${concat(items)}\n</ul>`];
}

function totalsTable(report: Report): Html {
  const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = totals(report);
  const { durationMs } = report;
  return table(
    ['Uploaded', 'Unchanged', 'Failed', 'Not attempted', 'Skipped', 'Size', 'Time', 'Rate'],
    [
      [
        uploaded,
        unchanged,
        failed,
        notAttempted,
        skipped,
        formatBytes(uploadedBytes),
        formatDuration(durationMs),
        uploaded === 0 ? '–' : formatRate(uploadedBytes, durationMs),
      ],
    ],
  );
}

function failureTables(report: Report): Html[] {
  const groups = failureGroups(report);
  if (groups.length === 0) return [];
  const rows = groups
    .slice(0, MAX_ROWS)
    .map(({ error, sources }) => [
      html`${code(error.message)}<br>${adviceOn(error, report)}`,
      concat([
        ...sources.slice(0, MAX_ROWS).map(source => html`${code(source)}<br>`),
        more(sources.length - MAX_ROWS),
      ]),
    ]);
  return [html`<h4>What failed</h4>`, table(['Why', 'Files'], rows)];
}

function leftOutTable({ leftOut }: Report): Html[] {
  if (leftOut.length === 0) return [];
  const rows = leftOut.slice(0, MAX_ROWS).map(({ path, reason }) => [code(path), reason]);
  const rest = leftOut.length - MAX_ROWS;
  return [
    html`<h4>What was left out</h4>`,
    table(['Path', 'Why'], rest > 0 ? [...rows, [more(rest), '']] : rows),
  ];
}

function fileList({ files }: Report, maxBytes: number): Html[] {
  if (files.length === 0) return [];
  const rows: Html[] = [];
  let size = 0;
  for (const result of files) {
    const row = fileRow(result);
    size += Buffer.byteLength(row.html);
    if (size > maxBytes) break;
    rows.push(row);
  }
  const title = html`<summary>${formatCount(files.length, 'file')}</summary>`;
  const head = html`<tr><th align="left">File</th><th align="left">In the sandbox</th><th align="right">Size</th><th></th></tr>`;
  const list = html`<table>\n${head}\n${concat(rows)}</table>`;
  return [html`<details>${title}\n${list}\n${more(files.length - rows.length)}</details>`];
}

function fileRow(result: FileResult): Html {
  const { source, target, size } = result.file;
  const place = 'path' in result ? result.path : target;
  return html`<tr><td>${code(source)}</td><td>${code(place)}</td><td align="right">${formatBytes(size)}</td><td>${STATUS[result.status]}</td></tr>\n`;
}

function more(count: number): Html {
  return count > 0 ? html`and ${formatNumber(count)} more; the report file has them all` : html``;
}
