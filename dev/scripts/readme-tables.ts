import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Results } from '../bench/results.ts';
import { headline, resultTables, targetTable } from '../bench/table.ts';
import { judge } from '../bench/targets.ts';
import { type ActionFile, readActionFile } from '../runner/action-file.ts';
import { mapping } from '../runner/yaml.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/**
 * The documents with generated tables: the READMEs of the actions, and those with benchmark
 * results.
 */
export const GENERATED = [
  'README.md',
  'upload/README.md',
  'stats/README.md',
  'monitor/README.md',
  'sandbox/README.md',
  'monitor/stop/README.md',
  'docs/report.md',
  'dev/bench/README.md',
];

/** A document with its tables regenerated. */
export async function freshDocument(file: string): Promise<string> {
  const text = await readFile(path.join(PROJECT, file), 'utf8');
  if (file === 'docs/report.md') return between(text, 'keys', await reportTable());
  if (file === 'dev/bench/README.md') {
    const results = await benchResults();
    return between(
      between(text, 'bench', resultTables(results)),
      'targets',
      targetTable(judge(results)),
    );
  }
  const fresh = withTables(text, await readActionFile(path.join(PROJECT, path.dirname(file))));
  return file === 'README.md'
    ? between(fresh, 'bench', headline((await benchResults()).rows))
    : fresh;
}

async function benchResults(): Promise<Results> {
  return JSON.parse(await readFile(path.join(PROJECT, 'dev/bench/results.json'), 'utf8'));
}

/**
 * A README with its input and output tables from action.yml, between the comments that mark them.
 */
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

/** The keys of the report, as its schema describes them. */
async function reportTable(): Promise<string> {
  const text = await readFile(path.join(PROJECT, 'schema/report-1.json'), 'utf8');
  const schema = mapping(JSON.parse(text));
  return table(['Key', 'Meaning'], keysOf(schema, mapping(schema['$defs']), ''));
}

function keysOf(schema: Mapping, defs: Mapping, prefix: string): string[][] {
  return Object.entries(mapping(schema['properties'])).flatMap(([name, value]) => {
    const property = resolve(mapping(value), defs);
    const items = resolve(mapping(property['items']), defs);
    return [
      [code(`${prefix}${name}`), String(property['description'])],
      ...keysOf(property, defs, `${prefix}${name}.`),
      ...keysOf(items, defs, `${prefix}${name}[].`),
    ];
  });
}

type Mapping = ReturnType<typeof mapping>;

function resolve(schema: Mapping, defs: Mapping): Mapping {
  const [, name = ''] = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref'])) ?? [];
  return name === '' ? schema : mapping(defs[name]);
}

function between(text: string, mark: string, content: string): string {
  const marked = new RegExp(`(<!-- ${mark} -->\n).*?(<!-- /${mark} -->)`, 's');
  if (!marked.test(text)) throw new Error(`No place is marked <!-- ${mark} -->`);
  return text.replace(marked, (_all, open: string, close: string) => `${open}${content}${close}`);
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

if (import.meta.main) {
  for (const file of GENERATED)
    await writeFile(path.join(PROJECT, file), await freshDocument(file));
}
