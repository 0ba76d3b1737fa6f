import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../bench/results.ts';
import { resultTables, targetTable } from '../bench/table.ts';
import { judge } from '../bench/targets.ts';
import { type ActionFile, readActionFile } from '../local-runner/action-file.ts';

const PROJECT = path.dirname(import.meta.dirname);

/** The folders whose README holds what is generated: those of the actions, and the benchmark's. */
export const README_FOLDERS = ['', 'upload', 'stats', 'monitor', 'bench'];

/** The README of such a folder as it is to be: all that is generated made anew. */
export async function freshReadme(folder: string): Promise<string> {
  const readme = await readFile(path.join(PROJECT, folder, 'README.md'), 'utf8');
  if (folder === 'bench') return between(readme, 'targets', targetTable(judge(await benchResults())));
  const fresh = withTables(readme, await readActionFile(path.join(PROJECT, folder)));
  return folder === '' ? between(fresh, 'bench', resultTables(await benchResults())) : fresh;
}

async function benchResults(): Promise<Results> {
  return JSON.parse(await readFile(path.join(PROJECT, 'bench/results.json'), 'utf8'));
}

/** A README with its tables of inputs and outputs made anew from action.yml, between the comments that mark them. */
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
  if (!marked.test(text)) throw new Error(`README.md has no place marked <!-- ${mark} -->`);
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
  for (const folder of README_FOLDERS) {
    await writeFile(path.join(PROJECT, folder, 'README.md'), await freshReadme(folder));
  }
}
