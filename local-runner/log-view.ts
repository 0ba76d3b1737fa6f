/** How the runner shows a line of a step's log, or undefined for a line it keeps to itself. */
export type LogView = (line: string) => string | undefined;

/** Prints lines of a log as the runner shows them. */
export function logPrinter(): (line: string) => void {
  const view = logView();
  return line => {
    const shown = view(line);
    if (shown !== undefined) console.log(shown);
  };
}

/** A view that acts on workflow commands as the runner does: secrets masked, groups indented, annotations named. */
export function logView(): LogView {
  const secrets: string[] = [];
  let indent = '';
  const show = (text: string) =>
    indent + secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return line => {
    const [, command, data = ''] = /^::([\w-]+)(?: [^:]*)?::(.*)$/s.exec(line) ?? [];
    const text = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
    if (command === undefined) return show(line);
    if (command === 'add-mask') secrets.push(text);
    if (command === 'endgroup') indent = '';
    if (command === 'error' || command === 'warning' || command === 'notice')
      return show(`${command}: ${text}`);
    if (command !== 'group') return undefined;
    const title = show(`▾ ${text}`);
    indent = '  ';
    return title;
  };
}
