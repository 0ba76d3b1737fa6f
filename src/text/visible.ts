// Terminals and browsers act on control characters, direction marks and halves of surrogate pairs.
const UNSEEN =
  /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;

/** Foreign text as one line: invisible characters become escapes such as `\n` or `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escapeCharacter);
}

/** The first invisible character of a text as an escape. */
export function findInvisible(text: string): string | undefined {
  const [character] = text.match(UNSEEN) ?? [];
  return character === undefined ? undefined : escapeCharacter(character);
}

/** The first `limit` characters, then `…` if there are more; never half a character. */
export function truncate(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** `visible`, cut to `limit` characters. */
export function visibleCut(text: string, limit: number): string {
  return visible(truncate(text, limit));
}

/** A value in a message: quoted, cut, escaped, except for the backslashes of Windows paths. */
export function quote(value: string): string {
  const json = JSON.stringify(truncate(value, 100));
  return json.replaceAll('\\\\', '\\');
}

/** A line that the runner only prints: with `::` at its start or `##[` it would be a command. */
export function harmless(text: string): string {
  return visible(text)
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '##\\[');
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
