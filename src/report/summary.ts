import { formatCount } from '../text/format.ts';
import { code, concat, folded, type Html, html, prose, shorten, shortList } from './html.ts';
import type { Reason } from './reason.ts';
import type { Report } from './report.ts';
import type { Verdict } from './verdict.ts';

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const LEVEL_MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

export function summaryOf(report: Report, verdict: Verdict): string {
  const { level, title, reasons, fileFailures, warnings, notices, logLines, blocks } = verdict;
  const mark = LEVEL_MARKS[level];
  const all = [
    html`<h3>${mark} Sandbox Sync${nameSandbox(report)}: ${prose(title)}</h3>`,
    ...shortList([
      ...[...fileFailures, ...reasons].map(each => html`${mark} ${renderReason(each)}`),
      ...warnings.map(each => html`⚠️ ${renderReason(each)}`),
    ]),
    ...logLines.map(line => html`<p>${line}</p>`),
    ...blocks,
    ...folded(formatCount(notices.length, 'notice'), notices.map(prose)),
    footer(report),
  ];
  return all.map(block => `${block.html}\n\n`).join('');
}

function renderReason({ text, hasMarkup, details = [] }: Reason): Html {
  const line = hasMarkup ? prose(text) : code(text.replaceAll('`', ''));
  return concat([line, ...shorten(details.map(renderReason))], '<br>');
}

// The summaries of a matrix share a page, and only these names tell them apart.
function nameSandbox({ name, sandboxId }: Report): Html {
  const names = [name, sandboxId].filter(text => text !== '').map(code);
  return names.length === 0 ? html`` : html` (${concat(names, ', ')})`;
}

function footer({ sandboxId, baseUrl }: Report): Html {
  const sandbox =
    sandboxId === '' ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
