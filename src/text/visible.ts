// What a terminal or a browser acts on instead of showing it: control characters, line and paragraph separators, marks
// that change the direction of text, invisible characters and tags, and halves of surrogate pairs.
const UNSEEN = /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;

/** Text from elsewhere as it can be shown in one line: what could not be seen is an escape, such as `\n` or `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeOf);
}

/** `visible`, cut to `limit` characters. */
export function visibleCut(text: string, limit: number): string {
  return visible(text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : text);
}

/** A value as a message shows it: quoted, cut, control characters escaped, but not backslashes, which paths of Windows hold. */
export function quote(value: string): string {
  const json = JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
  return json.replaceAll('\\\\', '\\');
}

/** A line that the runner only shows: it takes one that begins with `::`, or holds `##[`, for a command to itself. */
export function harmless(text: string): string {
  return visible(text)
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '##\\[');
}

function escapeOf(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
