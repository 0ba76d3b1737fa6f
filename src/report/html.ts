import { escapeInvisible } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import { cutEnd, firstOf } from '../text/shorten.ts';

export interface Html {
  readonly html: string;
}

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

// In characters. Together with the limits on lists, this keeps summaries below 1 MiB, even with
// paths of 4,096 characters, since GitHub drops larger summaries.
const MAX_CODE = 300;

/** Renders text as code, cut after 300 characters. */
export function code(text: string): Html {
  // Escape first, since that makes a text longer.
  return html`<code>${cutEnd(escapeInvisible(text), MAX_CODE)}</code>`;
}

// Above any sentence of ours.
const MAX_PROSE = 2000;
const MAX_PIECES = 101;

/** Renders a sentence in which backticks and quotation marks enclose code, which alone is cut. */
export function prose(text: string): Html {
  const pieces = text.split(/("(?:\\.|[^"\\])+"|`[^`]+`)/, MAX_PIECES);
  return concat(
    pieces.map((piece, index) =>
      index % 2 === 0
        ? breakMentions(cutEnd(escapeInvisible(piece), MAX_PROSE))
        : code(piece.slice(1, -1)),
    ),
  );
}

/** Keeps GitHub from expanding mentions and emoji names, which it only finds in one piece. */
function breakMentions(text: string): Html {
  const { html: escaped } = html`${text}`;
  return { html: escaped.replace(/@(?=\w)|:(?=[a-z+-][\w+-]*:)/gi, '<span>$&</span>') };
}

export function unbroken(figure: string): Html {
  return { html: toHtml(figure).replaceAll(' ', '&nbsp;') };
}

/** Renders lines of a command's output, or nothing if there are none. */
export function outputBlock(lines: readonly string[]): Html[] {
  if (lines.length === 0) return [];
  const shown = lines.map(line => html`${line.replaceAll('\t', '    ')}`);
  // Begin a block with <pre>: a blank line ends one that begins with <p> or <details>, and the rest
  // would become Markdown.
  return [html`<pre>${concat(shown, '\n')}</pre>`];
}

export const MAX_ITEMS = 30;

export function shortList(items: readonly Html[]): Html[] {
  if (items.length === 0) return [];
  const bullets = limitItems(items).map(item => html`\n<li>${item}</li>`);
  return [html`<ul>${concat(bullets)}\n</ul>`];
}

/** Keeps the first 30 items and adds one that counts the others. */
export function limitItems(items: readonly Html[]): readonly Html[] {
  const more = (count: number) =>
    html`and ${formatNumber(count)} more; the report file has them all`;
  return firstOf(items, MAX_ITEMS, more);
}

function toHtml(value: Html | string): string {
  if (typeof value !== 'string') return value.html;
  return escapeInvisible(value).replace(
    /[&<>"']/g,
    character => ENTITIES.get(character) ?? character,
  );
}
