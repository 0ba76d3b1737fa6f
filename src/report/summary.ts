import { truncate } from '../text/escape.ts';
import { code, concat, type Html, html, renderMarkup, shorten, shortList } from './html.ts';
import type { RenderedReport, Report } from './render.ts';
import type { Reason, ReasonLine } from './section.ts';

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const LEVEL_MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

/** Returns the job summary in Markdown and HTML. */
export function summaryOf(report: Report, rendered: RenderedReport): string {
  const { level, title, reasons, warnings, facts, blocks } = rendered;
  const mark = LEVEL_MARKS[level];
  // The summaries of a matrix share a page, so show the name that the user gave this one.
  const name = truncate(report.name, MAX_NAME);
  const { heading, rest } = splitTitle(title, MAX_HEADING - name.length);
  // The last lines of a command have a block of their own.
  const problems = reasons.filter(([line]) => !line?.isOutput);
  const all = [
    html`<h3>${mark} ${name === '' ? '' : html`${code(name)}: `}${renderLine(heading)}</h3>`,
    ...rest.map(line => html`<p>${renderLine(line)}</p>`),
    ...shortList([
      ...problems.map(each => html`${mark} ${renderReason(each)}`),
      ...warnings.map(each => html`⚠️ ${renderLine(each)}`),
    ]),
    ...facts.map(line => html`<p>${renderMarkup(line)}</p>`),
    ...blocks,
    footer(report),
  ];
  return all.map(block => `${block.html}\n\n`).join('');
}

// A heading of this length has two lines on a phone (390 px).
const MAX_HEADING = 54;
const MAX_NAME = 20;

/** Makes the first sentence the heading. If that is too long, all of the title stands below it. */
function splitTitle(title: ReasonLine, limit: number) {
  const [sentence = ''] = /^(?:Cancelled\. )?.*?\.(?= |$)|^.*/s.exec(title.text) ?? [];
  const text = truncate(sentence, limit).replace(/\s+\S*…$/, ' …');
  const rest = text === sentence ? title.text.slice(sentence.length).trim() : title.text;
  return { heading: { ...title, text }, rest: rest === '' ? [] : [{ ...title, text: rest }] };
}

function renderReason(reason: Reason): Html {
  return concat(shorten(reason.map(renderLine)), '<br>');
}

function renderLine({ text, hasMarkup }: ReasonLine): Html {
  return hasMarkup ? renderMarkup(text) : code(text.replaceAll('`', ''));
}

function footer({ sandbox: { id } }: Report): Html {
  const sandbox = id === '' ? html`` : html` · sandbox ${code(id)}`;
  return html`<p>Sandbox Sync${sandbox} · <a href="${DOCS}/results.md#the-summary">Help</a></p>`;
}
