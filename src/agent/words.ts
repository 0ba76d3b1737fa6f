import { fieldsOf } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import { truncate } from '../text/visible.ts';

const MAX_CHARACTERS = 300;

// A longer page is not searched for words.
const MAX_SEARCHED = 16_384;

/** What an error's body says, whether JSON, HTML or text, in one line of at most 300 characters. */
export function wordsOf(text: string, redact: Redact): string {
  // Secrets go before anything is cut or stripped, which could leave a part of one.
  const message = messageIn(text);
  const isText = message !== undefined && !HTML.test(message);
  const page = redact(message ?? text).slice(0, MAX_SEARCHED);
  const words = redact(isText ? message : shownText(page));
  const line = redact(words.slice(0, MAX_SEARCHED).replace(/\s+/g, ' ').trim());
  return truncate(line, MAX_CHARACTERS);
}

const HTML = /<(?:!doctype|html|head|body|title|center|h\d|p|div|pre)\b/i;

const ENTITIES = new Map(
  Object.entries({ lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ', amp: '&' }),
);

function shownText(html: string): string {
  const hidden = /<!--.*?(-->|$)|<(style|script)\b.*?(<\/\2>|$)/gis;
  return html
    .replace(hidden, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES.get(name) ?? entity);
}

/** The message in a JSON body; undefined if it is not JSON. */
function messageIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'string') return body;
    if (typeof body !== 'object' || body === null) return text;
    const { message, error } = fieldsOf(body);
    return [message, error].find(each => typeof each === 'string') ?? JSON.stringify(body);
  } catch {
    return undefined;
  }
}
