import { visibleCut } from '../text/visible.ts';

/** A piece of HTML in which everything foreign is escaped. */
export type Html = { readonly html: string };

/** What a table shows in one cell; text is a figure, aligned right and not broken. */
export type Cell = Html | string | number;

// A file name can have 4,096 characters. With the limits on rows, this keeps a summary below 1 MiB.
const MAX_TEXT = 400;

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
);

/** HTML from a template; values are escaped. A block without empty lines has no Markdown. */
export function html(parts: TemplateStringsArray, ...values: readonly Cell[]): Html {
  const pieces = parts.flatMap((part, index) => [part, toHtml(values[index])]);
  return { html: pieces.join('') };
}

/** Joins pieces of HTML. */
export function concat(pieces: readonly Html[], separator = ''): Html {
  return { html: pieces.map(piece => piece.html).join(separator) };
}

/** Literal text: GitHub leaves mentions and emoji names alone only in `code`. */
export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

// Quoted text, and what is no plain word or number: a path, a URL, a mention, a condition.
const PLAIN = String.raw`(?:[A-Za-z]+(?:['-][A-Za-z]+)*|\d[\d,.:]*|%)`;
const END = String.raw`[.,:;?!)]*(?:\s|$)`;
const ODD = String.raw`(?:"(?:\\.|[^"\\])*"?|(?<![^\s(])(?!${PLAIN}${END})[^\s"(]\S*?(?=${END}))`;
// The example of an invalid input is code as a whole.
const EXAMPLE = String.raw`(?<=\bExample: )[^\n]+$`;
const ODD_RUN = new RegExp(`(${EXAMPLE}|${ODD}(?: ${ODD})*(?:(?<=[<>=]) [\\d.]*\\d)?)`);

/** A message: plain words as they are, everything else as code, quoted text as a whole. */
export function prose(text: string): Html {
  const pieces = visibleCut(text, MAX_TEXT).split(ODD_RUN);
  return concat(
    pieces.map((piece, index) => ({
      html: index % 2 === 0 ? escapeHtml(piece) : `<code>${escapeHtml(piece)}</code>`,
    })),
  );
}

/** A table of a heading row and rows, without empty columns. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  const columns = [...headings.keys()].filter(column =>
    rows.some(row => row[column] !== undefined && row[column] !== ''),
  );
  const isProse = (column: number) => rows.some(row => typeof row[column] === 'object');
  const cell = (column: number, value: Cell = '') =>
    isProse(column) ? html`<td>${value}</td>` : html`<td align="right">${unbroken(value)}</td>`;
  const head = columns.map(
    column =>
      html`<th align="${isProse(column) ? 'left' : 'right'}">${headings[column] ?? ''}</th>`,
  );
  const body = rows.map(
    row => html`<tr>${concat(columns.map(column => cell(column, row[column])))}</tr>\n`,
  );
  return html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`;
}

/** A figure that does not break over lines, however narrow the screen. */
export function unbroken(figure: Cell): Html {
  return { html: toHtml(figure).replaceAll(' ', '&nbsp;') };
}

function toHtml(value: Cell | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.html : escapeHtml(visibleCut(String(value), MAX_TEXT));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES.get(character) ?? character);
}
