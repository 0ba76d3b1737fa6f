// Terminals and browsers hide these characters, or change the text around them.
const UNSEEN =
  /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;

/** Escapes invisible characters, such as `\n` or `\u{202e}`, to keep foreign text on one line. */
export function escapeInvisible(text: string): string {
  return text.replace(UNSEEN, escapeCharacter);
}

/** Cuts after `limit` characters and adds `…`, without splitting a surrogate pair. */
export function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Quotes and shortens as JSON, with single backslashes for Windows paths. */
export function quote(value: string): string {
  const json = JSON.stringify(truncate(value, 100));
  return json.replaceAll('\\\\', '\\');
}

/** Marks text as code for `prose`. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

/** Escapes `::` and `##[`, which the runner would treat as commands. */
export function escapeCommands(text: string): string {
  return escapeInvisible(text)
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '##\\[');
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
