import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ACTIONS } from '../../src/inputs/inputs.ts';
import { type ActionFile, readActionFile } from '../runner/action-file.ts';

// Writes the inputs and outputs of each action.yml into the page of the action.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const BEGIN = '<!-- begin inputs -->\n';
const END = '<!-- end inputs -->\n';

// Most readers use the sandbox of the job, which needs none of these, so they come last.
const CONNECTION =
  /^(sandbox-id|token|base-url|allow-insecure-http|port|header-prefix|(upload|stats)-path|headers)$/;

type Page = (typeof PAGES)[number];

/** The page of each action, and the folder of its action.yml. */
export const PAGES = Object.values(ACTIONS).map(({ folder }) => ({
  file: folder === '.' ? 'docs/main-action.md' : `${folder}/README.md`,
  folder,
}));

export function readPage({ file }: Page): string {
  return readFileSync(path.join(PROJECT, file), 'utf8').replaceAll('\r', '');
}

/** Returns the text of a page with the inputs and outputs of its action.yml. */
export async function writeReference(page: Page): Promise<string> {
  const text = readPage(page);
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${page.file} has no ${BEGIN}`);
  const reference = describe(page.folder, await readActionFile(path.join(PROJECT, page.folder)));
  return `${text.slice(0, begin + BEGIN.length)}\n${reference}\n${text.slice(end)}`;
}

function describe(folder: string, { inputs, outputs }: ActionFile): string {
  // The inputs of `sandbox` connect it to the API, not to a sandbox.
  const connection = inputs.filter(({ name }) => folder !== 'sandbox' && CONNECTION.test(name));
  const outputRows = outputs.map(({ name, description }) => [code(name), description]);
  const others = inputs.filter(input => !connection.includes(input));
  const sections = [
    '## Inputs\n',
    inputTable(others),
    '### Which sandbox\n',
    'By default, the sandbox of an earlier step sets ID, token, URL and `header-prefix`.\n',
    inputTable(connection),
    '## Outputs\n',
    table(['Output', 'Meaning'], outputRows),
  ];
  if (connection.length === 0) sections.splice(2, 3);
  return sections.join('\n');
}

function inputTable(inputs: ActionFile['inputs']): string {
  const rows = inputs.map(input => [code(input.name), defaultOf(input), input.description]);
  return table(['Input', 'Default', 'Meaning'], rows);
}

function defaultOf(input: ActionFile['inputs'][number]): string {
  if (input.required) return '**required**';
  return input.default === undefined ? '' : code(input.default);
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines
    .map(cells => `| ${cells.map(cell => cell.trim().replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main)
  for (const page of PAGES)
    writeFileSync(path.join(PROJECT, page.file), await writeReference(page));
