import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Prints what stands above a part of the output. */
export function title(text: string): void {
  console.log(`\n── ${text}\n`);
}

/** A text, cut where it is longer than the limit. */
export function shortened(text: string, limit = 160): string {
  return text.length > limit ? `${text.slice(0, limit)} …` : text;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** A job summary as text: without markup, a line for each row of a table, folded what is folded. */
export function summaryText(summary: string): string {
  return summary
    .replace(/```mermaid.*?```/gs, '(a chart)')
    .replace(/<details><summary>(.*?)<\/summary>.*?<\/details>/gs, '▸ $1')
    .replace(/<br>(?=<\/td>)/g, '')
    .replace(/<\/t[dh]>\s*(?=<t[dh])/g, ' | ')
    .replaceAll('<br>', ', ')
    .replaceAll('<li>', '- ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Prints every file below a directory, with its size in bytes. */
export async function printTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  for (const file of files)
    console.log(`${String((await stat(file)).size).padStart(8)}  ${path.relative(directory, file)}`);
  if (files.length === 0) console.log('No files.');
}

/** Prints lines of a log as the runner shows them. */
export function logPrinter(): (line: string) => void {
  const view = logView();
  return line => {
    const shown = view(line);
    if (shown !== undefined) console.log(shown);
  };
}

/**
 * How the runner shows each line of a step's log: secrets masked, groups indented, annotations named. Undefined for a line
 * that it keeps to itself.
 */
export function logView(): (line: string) => string | undefined {
  const secrets: string[] = [];
  let indent = '';
  const show = (text: string) => indent + secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return line => {
    const [, command, data = ''] = /^::([\w-]+)(?: [^:]*)?::(.*)$/s.exec(line) ?? [];
    const text = data.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%25', '%');
    if (command === undefined) return show(line);
    if (command === 'add-mask' && text !== '') secrets.push(text);
    if (command === 'endgroup') indent = '';
    if (command === 'error' || command === 'warning' || command === 'notice') return show(`${command}: ${text}`);
    if (command !== 'group') return undefined;
    const title = show(`▾ ${text}`);
    indent = '  ';
    return title;
  };
}
