import { visibleCut } from '../text/visible.ts';

/** A piece of HTML in which everything from elsewhere is escaped. */
export type Html = { readonly html: string };

// Longer text is cut: a name can have 4,096 characters.
const MAX_TEXT = 600;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML from a template, what is put in escaped. As blocks without empty lines it is no Markdown: no text becomes markup. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string | number)[]): Html {
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

/** A table of a heading row and rows. */
export function table(headings: readonly string[], rows: readonly (readonly (Html | string | number)[])[]): Html {
  const head = concat(headings.map(heading => html`<th align="left">${heading}</th>`));
  const body = concat(rows.map(row => html`<tr>${concat(row.map(cell => html`<td>${cell}</td>`))}</tr>\n`));
  return html`<table>\n<tr>${head}</tr>\n${body}</table>`;
}

function toHtml(value: Html | string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'object') return value.html;
  return visibleCut(String(value), MAX_TEXT).replace(/[&<>"']/g, character => ENTITIES[character] ?? character);
}
