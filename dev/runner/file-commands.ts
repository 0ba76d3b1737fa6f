/**
 * Parses the file of GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE: lines of `name=value`, and blocks
 * of `name<<delimiter`, the lines of the value, and `delimiter`. On Windows, drops the `\r` at the
 * end of a line, but not inside a value.
 * @throws Error for an unclosed block, or for any other line
 */
export function parseKeyValueFile(
  text: string,
  isWindows = process.platform === 'win32',
): Readonly<Record<string, string>> {
  const bare = (line: string) => (isWindows ? line.replace(/\r$/, '') : line);
  const lines = text.split('\n');
  const values: Record<string, string> = {};
  for (let index = 0; index < lines.length; index += 1) {
    const line = bare(lines[index] ?? '');
    if (line === '') continue;
    const [, name, sign, rest = ''] = /^([^=<]+)(=|<<)(.*)$/s.exec(line) ?? [];
    const end =
      sign === '<<' ? lines.findIndex((each, at) => at > index && bare(each) === rest) : index;
    if (name === undefined || end === -1)
      throw new Error(`No value can be read from line ${index + 1}: ${line}`);
    values[name] = sign === '<<' ? bare(lines.slice(index + 1, end).join('\n')) : rest;
    index = end;
  }
  return values;
}
