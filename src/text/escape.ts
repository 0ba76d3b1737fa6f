import { cutEnd } from './shorten.ts';

// Terminals and browsers hide these characters, or reorder the text around them.
const INVISIBLE =
  /(?![\ufe0f\u200c\u200d])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;

/** Escapes invisible characters, such as `\n` or `\u{202e}`, to keep untrusted text on one line. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escapeCharacter);
}

const MAX_QUOTED = 100;

/** Quotes a value as JSON, cut after 100 characters; Windows paths keep single backslashes. */
export function quote(value: string): string {
  const json = JSON.stringify(cutEnd(value, MAX_QUOTED));
  return json.replaceAll('\\\\', '\\');
}

/** Wraps text in backticks, which the summary shows as code. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

/** Escapes invisible characters, and what the runner would treat as a command. */
export function escapeCommands(text: string): string {
  return disarm(escapeInvisible(text));
}

// Colors are SGR sequences of ECMA-48, section 8.3.117: ESC [ numbers m.
const COLOR = '\u001b\\[[\\d;:]*m';
const NOT_IN_OUTPUT = new RegExp(`(?!${COLOR}|[\\t\\n])(?:${INVISIBLE.source})`, 'gu');

/** Like `escapeCommands`, but keeps lines, tabs and colors. */
export function escapeOutput(lines: string): string {
  return disarm(lines.replace(NOT_IN_OUTPUT, escapeCharacter));
}

// The runner takes a leading `::` and every `##[` for the start of a command.
function disarm(lines: string): string {
  return lines.replace(/^[^\S\n]*::/gm, '\\$&').replaceAll('##[', '##\\[');
}

export function removeColors(text: string): string {
  return text.replace(new RegExp(COLOR, 'gu'), '');
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

export type Redact = (text: string) => string;

export function redactor(secrets: readonly string[]): Redact {
  // Messages about inputs only quote the start of a long value, so redact that, too.
  const starts = secrets.map(secret => secret.slice(0, MAX_QUOTED));
  const forms = [...secrets, ...starts].filter(secret => secret !== '').flatMap(encodingsOf);
  // Replace longer forms first, or parts of them would remain.
  const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
  return text => ordered.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

// A secret may also come escaped: in quoted JSON, such as a proxy's error, or in a signed URL.
function encodingsOf(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, encodeURIComponent(secret.toWellFormed())];
}
