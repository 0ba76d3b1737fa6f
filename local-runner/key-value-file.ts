/**
 * Parses the file that GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE names: lines of `name=value`, and blocks of
 * `name<<delimiter`, the value's lines, `delimiter`.
 * @throws Error where a block is not closed or a line is neither.
 */
export function parseKeyValueFile(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n');
  const values: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const [, name, sign, rest = ''] = /^([^=<]+)(=|<<)(.*)$/.exec(line) ?? [];
    const end = sign === '<<' ? lines.indexOf(rest, index + 1) : index;
    if (name === undefined || end === -1)
      throw new Error(`No value can be read from line ${index + 1}: ${line}`);
    values[name] = sign === '<<' ? lines.slice(index + 1, end).join('\n') : rest;
    index = end;
  }
  return values;
}
