/**
 * Parses the file that GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE names: lines of `name=value`, and
 * blocks of `name<<delimiter`, the value's lines, `delimiter`. On Windows a line may end with
 * `\r\n`; a value keeps its own.
 * @throws Error where a block is not closed or a line is neither.
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
