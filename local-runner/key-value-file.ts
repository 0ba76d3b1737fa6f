/**
 * Parses the file that GITHUB_OUTPUT or GITHUB_STATE names: blocks of `name<<delimiter`, the value's lines, `delimiter`.
 * @throws Error where a block is not closed or a line belongs to none.
 */
export function parseKeyValueFile(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n');
  const values: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const [, name, delimiter] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    const end = delimiter === undefined ? -1 : lines.indexOf(delimiter, index + 1);
    if (name === undefined || end === -1)
      throw new Error(`No value can be read from line ${index + 1}: ${line}`);
    values[name] = lines.slice(index + 1, end).join('\n');
    index = end;
  }
  return values;
}
