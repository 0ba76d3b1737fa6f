import path from 'node:path';
import { abbreviate, formatBytes, formatCount, formatNumber, totalSize } from '../text/format.ts';
import type { FileResult } from '../upload/transfer.ts';
import { drawChart } from './chart.ts';
import { figuresTable } from './figures.ts';
import { code, concat, folded, type Html, html, list, prose } from './html.ts';
import { moreInReport, nameDigest, type Report } from './report.ts';
import type { Verdict } from './verdict.ts';

// GitHub drops summaries above 1 MiB. These limits and `MAX_TEXT` in html.ts keep them smaller.
const MAX_GROUPS = 10;
const MAX_NAMES = 5;
const MAX_LINES = 30;
const MAX_PLANNED = 50;

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

export function summaryOf(report: Report, verdict: Verdict): string {
  const { level, title, lines, warnings, notices, upload } = verdict;
  const { digest } = report;
  const reasons = [
    ...lines.map(line => line.html),
    ...warnings.map(warning => html`⚠️ ${warning.html}`),
  ];
  const blocks = [
    html`<h3>${MARKS[level]} Sandbox Sync${nameSandbox(report)}: ${title}</h3>`,
    ...abbreviated(reasons, MAX_LINES),
    ...figuresTable(report),
    ...drawChart(report),
    ...failureSection(verdict),
    ...planFolders(report),
    ...(upload === '' ? [] : [html`<p>${upload}</p>`]),
    ...folded(
      formatCount(notices.length, 'notice'),
      abbreviated(
        notices.map(notice => notice.html),
        MAX_LINES,
      ),
    ),
    ...foldedSkipped(report),
    ...foldedPlan(report),
    ...(digest === '' ? [] : [html`<p>${nameDigest(report)}: ${code(digest)}</p>`]),
    footer(report),
  ];
  return blocks.map(block => `${block.html}\n\n`).join('');
}

// Nothing else tells the summaries of a matrix apart.
function nameSandbox({ name, sandboxId }: Report): Html {
  const names = [name, sandboxId].filter(text => text !== '').map(code);
  return names.length === 0 ? html`` : html` (${concat(names, ', ')})`;
}

function abbreviated(items: readonly Html[], limit: number): Html[] {
  const more = (rest: number) => html`${moreInReport(rest)}`;
  return list(abbreviate(items, limit, { show: item => item, more }));
}

function failureSection({ failures }: Verdict): Html[] {
  if (failures.length === 0) return [];
  const items = failures.map(({ message, hint, sources }) => {
    const files = sources.length > 1 ? html`${formatCount(sources.length, 'file')}: ` : html``;
    return html`${code(message)}<br>${prose(hint)}<br>${files}${nameFiles(sources)}`;
  });
  return [html`<h4>What failed</h4>`, ...abbreviated(items, MAX_GROUPS)];
}

function nameFiles(sources: readonly string[]): Html {
  const more = (rest: number) => html`${moreInReport(rest)}`;
  return concat(abbreviate(sources, MAX_NAMES, { show: code, more }), ', ');
}

function plannedFiles({ files, dryRun }: Report): FileResult['file'][] {
  if (!dryRun) return [];
  return files.filter(({ status }) => status === 'skipped').map(({ file }) => file);
}

function planFolders(report: Report): Html[] {
  const folders = Map.groupBy(plannedFiles(report), ({ source, target }) =>
    [source, target].map(file => path.posix.dirname(file)).join('\0'),
  );
  const items = [...folders].map(([names, files]) => {
    const [source = '', target = ''] = names.split('\0');
    const size = `${formatCount(files.length, 'file')}, ${formatBytes(totalSize(files))}`;
    return html`${code(source)} → ${code(target)}: ${size}`;
  });
  return abbreviated(items, MAX_LINES);
}

function foldedPlan(report: Report): Html[] {
  const files = plannedFiles(report);
  const shown = abbreviate(files, MAX_PLANNED, {
    show: ({ source, target, size }) =>
      html`${code(source)} → ${code(target)}, ${formatBytes(size)}`,
    more: rest => html`${moreInReport(rest)}`,
  });
  return folded(formatCount(files.length, 'planned file'), list(shown));
}

function foldedSkipped({ skipped }: Report): Html[] {
  const items = skipped.map(({ path: place, reason }) => html`${code(place)}: ${reason}`);
  return folded(`${formatNumber(skipped.length)} skipped`, abbreviated(items, MAX_LINES));
}

function footer({ sandboxId, baseUrl }: Report): Html {
  const where = sandboxId === '' ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${where}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
