/** Prints the lines of a log as GitHub shows them. */
export function logPrinter(): (line: string) => void {
  const view = logView();
  return line => {
    const shown = view(line);
    if (shown !== undefined) console.log(shown);
  };
}

/**
 * Converts a log line as GitHub does: masks secrets, indents groups, names annotations. Undefined
 * for commands that GitHub hides.
 */
export function logView(): (line: string) => string | undefined {
  const secrets: string[] = [];
  let indent = '';
  const show = (text: string) =>
    indent + secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return line => {
    const [, command, data = ''] = /^::([\w-]+)(?: [^:]*)?::(.*)$/s.exec(line) ?? [];
    const text = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
    if (command === undefined) return show(line);
    if (command === 'add-mask' && text !== '') secrets.push(text);
    if (command === 'endgroup') indent = '';
    if (command === 'error' || command === 'warning' || command === 'notice')
      return show(`${command}: ${text}`);
    if (command !== 'group') return undefined;
    const title = show(`▾ ${text}`);
    indent = '  ';
    return title;
  };
}
