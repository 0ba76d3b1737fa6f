import { formatCount } from '../text/format.ts';
import { cutEnd } from '../text/shorten.ts';
import {
  code,
  concat,
  type Html,
  html,
  limitItems,
  outputBlock,
  prose,
  shortList,
} from './html.ts';
import type { RenderedReport, Report } from './render.ts';
import { type Problem, sentenceCase } from './section.ts';

const DOCS = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs';
const LEVEL_MARKS = { success: '✅', warning: '⚠️', failure: '❌', cancelled: '⛔' } as const;

/** Returns the job summary in Markdown and HTML. */
export function summaryOf(report: Report, rendered: RenderedReport): string {
  const { level, facts, blocks } = rendered;
  const shownFacts = facts.map(line => html`<p>${prose(line)}</p>`);
  const all =
    level === 'success'
      ? [oneLine(report, rendered), ...shownFacts, ...blocks]
      : [heading(rendered), ...details(rendered), ...shownFacts, ...blocks, footer(report)];
  return all.map(block => `${block.html}\n\n`).join('');
}

/** Says how to open and delete a sandbox that was kept, in E2B's command line. */
export function describeKept(id: string, expiry: string): readonly string[] {
  return [
    `Sandbox \`${id}\` was kept. ${expiry}`,
    `To open a shell in it on E2B: \`npx @e2b/cli@2 sandbox connect ${id}\``,
    `To delete it: \`npx @e2b/cli@2 sandbox kill ${id}\``,
  ];
}

export function summaryOfLines(lines: readonly string[]): string {
  return `${html`<p>ℹ️ ${concat(lines.map(prose), '<br>')}</p>`.html}\n\n`;
}

function oneLine({ sandbox: { id } }: Report, rendered: RenderedReport): Html {
  const sandbox = id === '' ? html`` : html` · sandbox ${code(id)}`;
  return html`<p>${titleOf(rendered)}${sandbox}</p>`;
}

function heading(rendered: RenderedReport): Html {
  return html`<h3>${titleOf(rendered)}</h3>`;
}

// A heading of this length has two lines on a phone (390 px).
const MAX_TITLE = 60;
const MIN_SUBJECT = 20;

/** Cuts the subject if need be, but never the verdict. */
function titleOf({ level, subject, verdict }: RenderedReport): Html {
  const mark = LEVEL_MARKS[level];
  if (subject === '') return html`${mark} ${prose(sentenceCase(verdict))}`;
  return html`${mark} ${code(cutSubject(subject, verdict))}: ${prose(verdict)}`;
}

function cutSubject(subject: string, verdict: string): string {
  return cutEnd(subject, Math.max(MAX_TITLE - verdict.length, MIN_SUBJECT));
}

/** Explains the verdict, then lists the other problems and the warnings. */
function details({ level, command, subject, verdict, problems, warnings }: RenderedReport): Html[] {
  const [first, ...others] = problems;
  const isShown = command === '' || command === cutSubject(subject, verdict);
  return [
    ...(isShown ? [] : [html`<p>${code(command)}</p>`]),
    ...(first === undefined ? [] : explain(first)),
    ...shortList([
      ...others.map(each => html`${LEVEL_MARKS[level]} ${renderProblem(each)}`),
      ...warnings.map(each => html`⚠️ ${prose(each)}`),
    ]),
  ];
}

// More lines are easier to read in a list.
const MAX_PARAGRAPHS = 2;

function explain({ lines, output }: Problem): Html[] {
  const { cause = [], lastLines = [] } = output ?? {};
  const shown = lines.map(prose);
  return [
    ...outputBlock(cause),
    ...(lines.length > MAX_PARAGRAPHS ? shortList(shown) : shown.map(line => html`<p>${line}</p>`)),
    ...(lastLines.length > cause.length ? showLastLines(lastLines, cause.length > 0) : []),
  ];
}

function showLastLines(lastLines: readonly string[], isFolded: boolean): Html[] {
  const block = outputBlock(lastLines);
  if (!isFolded) return [html`<p>Last lines of the output:</p>`, ...block];
  const title = `Last ${formatCount(lastLines.length, 'line')} of the output`;
  return [html`<details><summary>${title}</summary>`, ...block, html`</details>`];
}

function renderProblem({ verdict, lines }: Problem): Html {
  return concat(limitItems([sentenceCase(verdict), ...lines].map(prose)), '<br>');
}

function footer({ sandbox: { id } }: Report): Html {
  const sandbox = id === '' ? html`` : html`Sandbox ${code(id)} · `;
  return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">Help</a></p>`;
}
