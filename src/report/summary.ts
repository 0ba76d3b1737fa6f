import { code, concat, type Html, html, prose, shortList } from './html.ts';
import type { Report } from './report.ts';
import type { Line } from './section-view.ts';
import type { Verdict } from './verdict.ts';

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

/** Renders the job summary. What was measured comes before the upload. */
export function summaryOf(report: Report, verdict: Verdict): string {
  const { level, title, reasons, warnings, sections } = verdict;
  const blocks = [
    html`<h3>${MARKS[level]} Sandbox Sync${nameSandbox(report)}: ${title}</h3>`,
    ...shortList([...reasons.map(toHtml), ...warnings.map(each => html`⚠️ ${toHtml(each)}`)]),
    ...sections.toReversed().flatMap(section => section.blocks),
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

function footer({ sandboxId, baseUrl }: Report): Html {
  const sandbox =
    sandboxId === '' ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
  const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}
