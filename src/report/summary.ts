import { firstOf, fitting } from '../text/cut.ts';
import { formatBytes, formatCount, formatDuration, formatRate } from '../text/units.ts';
import type { FileResult } from '../upload/result.ts';
import type { LeftOut } from '../upload/sources.ts';
import { code, concat, type Html, html, table } from './html.ts';
import { hiddenLine, moreInReport, notices, type Report, STATUS, succeeded, totals } from './report.ts';
import { statsSection } from './stats-section.ts';
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
  const { sandboxId, baseUrl, warnings } = report;
  const where = sandboxId === '' ? [] : [html`<p>Sandbox ${code(sandboxId)} at ${code(baseUrl)}</p>`];
  const lines = [...furtherLines(report), ...hiddenLine(report), ...notices(report), ...warnings].slice(0, MAX_LINES);
  const items = lines.map(line => html`\n<li>${code(line)}</li>`);
  return items.length === 0 ? where : [...where, html`<ul>${concat(items)}\n</ul>`];
}

function totalsTable(report: Report): Html {
  const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = totals(report);
  const { durationMs } = report;
  const rate = uploaded === 0 ? '–' : formatRate(uploadedBytes, durationMs);
  const counts = [uploaded, unchanged, failed, notAttempted, skipped];
  return table(
    ['Uploaded', 'Unchanged', 'Failed', 'Not attempted', 'Skipped', 'Size', 'Time', 'Rate'],
    [[...counts, formatBytes(uploadedBytes), formatDuration(durationMs), rate]],
  );
}

function failureTables(report: Report): Html[] {
  const groups = failureGroups(report);
  if (groups.length === 0) return [];
  const rows = groups.slice(0, MAX_ROWS).map(({ error, sources }) => {
    const files = firstOf(sources, MAX_ROWS, {
      show: source => html`${code(source)}<br>`,
      more: rest => html`${moreInReport(rest)}`,
    });
    return [html`${code(error.message)}<br>${adviceOn(error, report)}`, concat(files)];
  });
  return [html`<h4>What failed</h4>`, table(['Why', 'Files'], rows)];
}

function leftOutTable({ leftOut }: Report): Html[] {
  if (leftOut.length === 0) return [];
  const rows = firstOf<LeftOut, (Html | string)[]>(leftOut, MAX_ROWS, {
    show: ({ path, reason }) => [code(path), reason],
    more: rest => [moreInReport(rest), ''],
  });
  return [html`<h4>What was left out</h4>`, table(['Path', 'Why'], rows)];
}

function fileList({ files }: Report, maxBytes: number): Html[] {
  if (files.length === 0) return [];
  const rows = fitting(files.values().map(fileRow), maxBytes, row => Buffer.byteLength(row.html));
  const rest = files.length - rows.length;
  const title = html`<summary>${formatCount(files.length, 'file')}</summary>`;
  const head = html`<tr><th align="left">File</th><th align="left">In the sandbox</th><th align="right">Size</th><th></th></tr>`;
  const list = html`<table>\n${head}\n${concat(rows)}</table>`;
  return [html`<details>${title}\n${list}\n${rest > 0 ? moreInReport(rest) : ''}</details>`];
}

function fileRow(result: FileResult): Html {
  const { source, target, size } = result.file;
  const place = 'path' in result ? result.path : target;
  return html`<tr><td>${code(source)}</td><td>${code(place)}</td><td align="right">${formatBytes(size)}</td><td>${STATUS[result.status]}</td></tr>\n`;
}
