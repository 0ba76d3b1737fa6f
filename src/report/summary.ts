import { formatCount } from '../text/format.ts';
import { code, concat, folded, type Html, html, renderMarkup, shorten, shortList } from './html.ts';
import type { RenderedReport } from './render.ts';
import type { Report } from './report.ts';
import type { Reason, ReasonLine } from './section.ts';

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const LEVEL_MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

/** Returns the job summary in Markdown and HTML. */
export function summaryOf(report: Report, rendered: RenderedReport): string {
  const { level, title, reasons, fileFailures, warnings, notices, facts, blocks } = rendered;
  const mark = LEVEL_MARKS[level];
  const all = [
    html`<h3>${mark} Sandbox Sync${formatNames(report)}: ${renderLine(title)}</h3>`,
    ...shortList([
      ...[...fileFailures, ...reasons].map(each => html`${mark} ${renderReason(each)}`),
      ...warnings.map(each => html`⚠️ ${renderLine(each)}`),
    ]),
    ...facts.map(line => html`<p>${renderMarkup(line)}</p>`),
    ...blocks,
    ...folded(formatCount(notices.length, 'notice'), notices.map(renderMarkup)),
    footer(report),
  ];
  return all.map(block => `${block.html}\n\n`).join('');
}

function renderReason(reason: Reason): Html {
  return concat(shorten(reason.map(renderLine)), '<br>');
}

function renderLine({ text, hasMarkup }: ReasonLine): Html {
  return hasMarkup ? renderMarkup(text) : code(text.replaceAll('`', ''));
}

// The summaries of a matrix share a page, and only these names tell them apart.
function formatNames({ name, sandbox }: Report): Html {
  const names = [name, sandbox.id].filter(text => text !== '').map(code);
  return names.length === 0 ? html`` : html` (${concat(names, ', ')})`;
}

function footer({ sandbox: { id, baseUrl } }: Report): Html {
  const sandbox = id === '' ? html`` : html`Sandbox ${code(id)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
