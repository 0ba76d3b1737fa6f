import { visibleCut } from '../text/visible.ts';

/** A piece of HTML in which everything from elsewhere is escaped. */
export type Html = { readonly html: string };

type Cell = Html | string | number;

// Longer text is cut: a name can have 4,096 characters. With the numbers of rows, it keeps a summary below its limit.
const MAX_TEXT = 400;

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }));

/** HTML from a template, what is put in escaped. As blocks without empty lines it is no Markdown: no text becomes markup. */
export function html(parts: TemplateStringsArray, ...values: readonly Cell[]): Html {
  const pieces = parts.flatMap((part, index) => [part, toHtml(values[index])]);
  return { html: pieces.join('') };
}

/** Pieces one after the other. */
export function concat(pieces: readonly Html[]): Html {
  return { html: pieces.map(piece => piece.html).join('') };
}

/** Text that is shown to the letter: within `code`, mentions and emoji names do not apply either. */
export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

// Quoted text, and whatever is not a plain word or number: a name, a path, a URL, a mention, a condition.
const PLAIN = String.raw`(?:[A-Za-z]+(?:['-][A-Za-z]+)*|\d[\d,.:]*|%)`;
const END = String.raw`[.,:;?!)]*(?:\s|$)`;
const ODD = String.raw`(?:"(?:\\.|[^"\\])*"?|(?<![^\s(])(?!${PLAIN}${END})[^\s"(]\S*?(?=${END}))`;
const ODD_RUN = new RegExp(`(${ODD}(?: ${ODD})*(?:(?<=[<>=]) [\\d.]*\\d)?)`);

/** A message: its plain words as they are, and all else as code, what is quoted whole. */
export function prose(text: string): Html {
  const pieces = visibleCut(text, MAX_TEXT).split(ODD_RUN);
  return concat(
    pieces.map((piece, index) => ({ html: index % 2 === 0 ? escaped(piece) : `<code>${escaped(piece)}</code>` })),
  );
}

/** A table of a heading row and rows, without columns that are empty. Text is a figure and stands right, HTML stands left. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  const columns = [...headings.keys()].filter(column => rows.some(row => row[column] !== ''));
  const isText = (column: number) => rows.some(row => typeof row[column] === 'object');
  const cell = (column: number, value: Cell = '') =>
    isText(column) ? html`<td>${value}</td>` : html`<td align="right">${value}</td>`;
  const head = columns.map(
    column => html`<th align="${isText(column) ? 'left' : 'right'}">${headings[column] ?? ''}</th>`,
  );
  const body = rows.map(row => html`<tr>${concat(columns.map(column => cell(column, row[column])))}</tr>\n`);
  return html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`;
}

function toHtml(value: Cell | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.html : escaped(visibleCut(String(value), MAX_TEXT));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES.get(character) ?? character);
}
