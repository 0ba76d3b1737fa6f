import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../bench/results.ts';
import { headline, resultTables, targetTable } from '../bench/table.ts';
import { judge } from '../bench/targets.ts';
import { type ActionFile, readActionFile } from '../local-runner/action-file.ts';

const PROJECT = path.dirname(import.meta.dirname);

/** The documents with generated parts: the READMEs of the actions, and what tells of the benchmark. */
export const GENERATED = [
  'README.md',
  'upload/README.md',
  'stats/README.md',
  'monitor/README.md',
  'bench/README.md',
  'docs/speed.md',
];

/** Such a document with its generated parts up to date. */
export async function freshDocument(file: string): Promise<string> {
  const text = await readFile(path.join(PROJECT, file), 'utf8');
  if (file === 'bench/README.md') return between(text, 'targets', targetTable(judge(await benchResults())));
  if (file === 'docs/speed.md') return between(text, 'bench', resultTables(await benchResults()));
  const fresh = withTables(text, await readActionFile(path.join(PROJECT, path.dirname(file))));
  return file === 'README.md' ? between(fresh, 'bench', headline((await benchResults()).rows)) : fresh;
}

async function benchResults(): Promise<Results> {
  return JSON.parse(await readFile(path.join(PROJECT, 'bench/results.json'), 'utf8'));
}

/** A README with fresh tables of inputs and outputs from action.yml, between the comments that mark them. */
function withTables(readme: string, action: ActionFile): string {
  const inputs = action.inputs.map(({ name, description, required, default: fallback }) => [
    code(name),
    required ? '**required**' : fallback === undefined ? '' : code(fallback),
    description,
  ]);
  const outputs = action.outputs.map(({ name, description }) => [code(name), description]);
  const withInputs = between(readme, 'inputs', table(['Input', 'Default', 'Meaning'], inputs));
  if (outputs.length === 0) return withInputs;
  return between(withInputs, 'outputs', table(['Output', 'Meaning'], outputs));
}

function between(text: string, mark: string, content: string): string {
  const marked = new RegExp(`(<!-- ${mark} -->\n).*?(<!-- /${mark} -->)`, 's');
  if (!marked.test(text)) throw new Error(`No place is marked <!-- ${mark} -->`);
  return text.replace(marked, (_all, open: string, close: string) => `${open}${content}${close}`);
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows];
  return lines.map(cells => `| ${cells.map(cell => cell.trim().replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}

function code(text: string): string {
  return `\`${text}\``;
}

if (import.meta.main) {
  for (const file of GENERATED) await writeFile(path.join(PROJECT, file), await freshDocument(file));
}
