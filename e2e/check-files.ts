import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { conclude, linesOf, variable } from './variables.ts';

// Holds the files below FOLDER against the lines of EXPECTED, `path below it = the file that it must equal`.

const folder = variable('FOLDER');
const expected = new Map(linesOf('EXPECTED').map(pairOf));
const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const found = entries
  .filter(entry => !entry.isDirectory())
  .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
const added = found.filter(name => !expected.has(name)).map(name => `${name} is there and should not be`);
const wrong = await Promise.all([...expected].map(findingOf));
conclude([...added, ...wrong.flat()], `There as they should be: ${expected.size} files, and no others.`);

async function findingOf([name, source]: readonly [string, string]): Promise<string[]> {
  if (!found.includes(name)) return [`${name} is not there`];
  const [arrived, sent] = await Promise.all([readFile(path.join(folder, name)), readFile(source)]);
  return arrived.equals(sent) ? [] : [`${name} is not what ${source} is`];
}

function pairOf(line: string): readonly [string, string] {
  const [name = '', source = ''] = line.split(' = ');
  return [name, source];
}
