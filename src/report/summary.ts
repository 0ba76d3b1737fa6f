import path from 'node:path';
import { abbreviate, formatBytes, formatCount, formatNumber, totalSize } from '../text/format.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { drawChart } from './chart.ts';
import { figuresTable } from './figures.ts';
import { code, concat, folded, type Html, html, list, prose } from './html.ts';
import { moreInReport, type Report } from './report.ts';
import type { FailureGroup, Line, Verdict } from './verdict.ts';

// GitHub drops summaries above 1 MiB. These limits and `MAX_TEXT` in html.ts keep them smaller.
const MAX_NAMES = 5;
const MAX_ITEMS = 30;

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

export function summaryOf(report: Report, verdict: Verdict): string {
  const { level, title, lines, failures, warnings, notices, upload } = verdict;
  const { digest, skipped } = report;
  const reasons = [...lines.map(toHtml), ...warnings.map(each => html`⚠️ ${toHtml(each)}`)];
  const planned = plannedFiles(report);
  const blocks = [
    html`<h3>${MARKS[level]} Sandbox Sync${nameSandbox(report)}: ${title}</h3>`,
    ...shortList(reasons),
    ...figuresTable(report),
    ...drawChart(report),
    ...(failures.length === 0 ? [] : [html`<h4>What failed</h4>`]),
    ...shortList(failures.map(describeFailures)),
    ...shortList(describeFolders(planned)),
    ...(upload === '' ? [] : [html`<p>${upload}</p>`]),
    ...folded(formatCount(notices.length, 'notice'), shortList(notices.map(prose))),
    ...folded(
      `${formatNumber(skipped.length)} skipped`,
      shortList(skipped.map(({ path: entryPath, reason }) => html`${code(entryPath)}: ${reason}`)),
    ),
    ...folded(
      formatCount(planned.length, 'planned file'),
      shortList(planned.map(file => describeMove(file, formatBytes(file.size)))),
    ),
    ...(digest === '' ? [] : [html`<p>Digest: ${code(digest)}</p>`]),
    footer(report),
  ];
  return blocks.map(block => `${block.html}\n\n`).join('');
}

function toHtml({ text, isUntrusted }: Line): Html {
  return isUntrusted ? code(text.replaceAll('`', '')) : prose(text);
}

// In a matrix, nothing else tells the summaries apart.
function nameSandbox({ name, sandboxId }: Report): Html {
  const names = [name, sandboxId].filter(text => text !== '').map(code);
  return names.length === 0 ? html`` : html` (${concat(names, ', ')})`;
}

function shortList(items: readonly Html[]): Html[] {
  return list(abbreviate(items, MAX_ITEMS, more));
}

function more(count: number): Html {
  return html`${moreInReport(count)}`;
}

function describeFailures({ message, hint, sources }: FailureGroup): Html {
  const files = sources.length > 1 ? html`${formatCount(sources.length, 'file')}: ` : html``;
  const names = concat(abbreviate(sources.map(code), MAX_NAMES, more), ', ');
  return html`${code(message)}<br>${prose(hint)}<br>${files}${names}`;
}

function plannedFiles({ files, dryRun }: Report): FileResult['file'][] {
  if (!dryRun) return [];
  return files.filter(({ status }) => status === 'skipped').map(({ file }) => file);
}

function describeFolders(files: readonly FileResult['file'][]): Html[] {
  const folders = Map.groupBy(files, ({ source, target }) =>
    [source, target].map(file => path.posix.dirname(file)).join('\0'),
  );
  return [...folders].map(([names, inFolder]) => {
    const [source = '', target = ''] = names.split('\0');
    const count = formatCount(inFolder.length, 'file');
    return describeMove({ source, target }, `${count}, ${formatBytes(totalSize(inFolder))}`);
  });
}

function describeMove({ source, target }: { source: string; target: string }, size: string): Html {
  return html`${code(source)} → ${code(target)}: ${size}`;
}

function footer({ sandboxId, baseUrl }: Report): Html {
  const sandbox =
    sandboxId === '' ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
