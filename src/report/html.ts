import { truncate, visible } from '../text/visible.ts';

/** A piece of HTML in which everything foreign is escaped. */
export interface Html {
  readonly html: string;
}

/** A sentence, once for the log and once for the summary. */
export interface Message {
  readonly text: string;
  readonly html: Html;
}

// A file name can have 4,096 characters. With the limits on lists, this keeps a summary below 1 MiB.
const MAX_TEXT = 300;

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
);

/** HTML from a template; values are escaped. A block without empty lines has no Markdown. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string)[]): Html {
  return { html: String.raw({ raw: parts }, ...values.map(toHtml)) };
}

/** Joins pieces of HTML. */
export function concat(pieces: readonly Html[], separator = ''): Html {
  return { html: pieces.map(piece => piece.html).join(separator) };
}

/** Literal text: GitHub leaves mentions and emoji names alone only in `code`. */
export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** Our own words: what stands in backticks is code. */
export function prose(text: string): Html {
  const pieces = text.split('`');
  return concat(pieces.map((piece, index) => (index % 2 === 0 ? html`${piece}` : code(piece))));
}

/** A message from a template whose values are figures or other messages. */
export function message(
  parts: TemplateStringsArray,
  ...values: readonly (Message | string)[]
): Message {
  const texts = values.map(value => (typeof value === 'string' ? value : value.text));
  const htmls = values.map(value => (typeof value === 'string' ? value : value.html));
  return { text: String.raw({ raw: parts }, ...texts), html: html(parts, ...htmls) };
}

/** A name, path or condition in a message. */
export function literal(text: string): Message {
  return { text: `\`${text}\``, html: code(text) };
}

/** A sentence that may hold words of others: the summary shows all of it as code. */
export function foreign(text: string): Message {
  return { text, html: code(text.replaceAll('`', '')) };
}

/** Messages as a list: `a, b, c`. */
export function enumerate(messages: readonly Message[]): Message {
  const [first = message``, ...others] = messages;
  return others.reduce((before, next) => message`${before}, ${next}`, first);
}

/** A figure that does not break over lines, however narrow the screen. */
export function unbroken(figure: string): Html {
  return { html: toHtml(figure).replaceAll(' ', '&nbsp;') };
}

/** A table without empty columns; none without rows. All columns but the first are figures. */
export function table(headings: readonly string[], rows: readonly (readonly Html[])[]): Html[] {
  const columns = [...headings.keys()].filter(column => rows.some(row => row[column]?.html));
  if (columns.length === 0) return [];
  const align = (column: number) => (column === 0 ? 'left' : 'right');
  const head = columns.map(
    column => html`<th align="${align(column)}">${headings[column] ?? ''}</th>`,
  );
  const body = rows.map(row => {
    const cells = columns.map(
      column => html`<td align="${align(column)}">${row[column] ?? ''}</td>`,
    );
    return html`<tr>${concat(cells)}</tr>\n`;
  });
  return [html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`];
}

/** A bulleted list; none without items. */
export function list(items: readonly Html[]): Html[] {
  return items.length === 0 ? [] : [html`<ul>${concat(items.map(bullet))}\n</ul>`];
}

function bullet(item: Html): Html {
  return html`\n<li>${item}</li>`;
}

/** Blocks that a click shows; none without blocks. */
export function folded(title: string, blocks: readonly Html[]): Html[] {
  if (blocks.length === 0) return [];
  return [html`<details><summary>${title}</summary>\n${concat(blocks, '\n')}\n</details>`];
}

function toHtml(value: Html | string): string {
  return typeof value === 'string' ? escapeHtml(truncate(visible(value), MAX_TEXT)) : value.html;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES.get(character) ?? character);
}
