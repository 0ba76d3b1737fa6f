import { escapeInvisible, truncate } from '../text/escape.ts';
import { formatNumber, limitList } from '../text/format.ts';

export interface Html {
  readonly html: string;
}

// In characters. Together with the limits on lists, this keeps summaries below 1 MiB, even with
// paths of 4,096 characters, since GitHub drops larger summaries.
const MAX_TEXT = 300;

const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
);

/**
 * Escapes strings for HTML. Markdown needs no escaping, since HTML blocks only end at a blank line
 * (CommonMark 4.6).
 */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string)[]): Html {
  return { html: String.raw({ raw: parts }, ...values.map(toHtml)) };
}

export function concat(pieces: readonly Html[], separator = ''): Html {
  return { html: pieces.map(piece => piece.html).join(separator) };
}

/** Renders text as code, where GitHub expands no mentions or emoji names. */
export function code(text: string): Html {
  return html`<code>${text}</code>`;
}

/** Renders our own words, whose backticks mark code. Use `code` for texts of others. */
export function renderMarkup(text: string): Html {
  const pieces = text.split('`');
  return concat(pieces.map((piece, index) => (index % 2 === 0 ? html`${piece}` : code(piece))));
}

export function unbroken(figure: string): Html {
  return { html: toHtml(figure).replaceAll(' ', '&nbsp;') };
}

export const MAX_ITEMS = 30;

export function shortList(items: readonly Html[]): Html[] {
  if (items.length === 0) return [];
  const bullets = shorten(items).map(item => html`\n<li>${item}</li>`);
  return [html`<ul>${concat(bullets)}\n</ul>`];
}

/** Keeps the first 30 items and adds one that counts the others. */
export function shorten(items: readonly Html[]): readonly Html[] {
  const more = (count: number) =>
    html`and ${formatNumber(count)} more; the report file has them all`;
  return limitList(items, MAX_ITEMS, more);
}

function toHtml(value: Html | string): string {
  if (typeof value !== 'string') return value.html;
  const shown = cutMiddle(escapeInvisible(value));
  return shown.replace(/[&<>"']/g, character => ENTITIES.get(character) ?? character);
}

// Keep both ends: messages begin with what is wrong, and end with the agent's words or advice.
function cutMiddle(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const end = text.slice(-MAX_TEXT / 2).replace(/^[\udc00-\udfff]/, '');
  return `${truncate(text, MAX_TEXT / 2)}${end}`;
}
