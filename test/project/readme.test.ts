import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { freshReadme, README_FOLDERS } from '../../scripts/readme-tables.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

for (const folder of README_FOLDERS) {
  const file = path.join(folder, 'README.md');
  test(`the tables in ${file} are those of its action.yml and the benchmark (npm run docs makes them anew)`, async () => {
    const readme = await readFile(path.join(PROJECT, file), 'utf8');
    assert.equal(readme, await freshReadme(folder));
  });
}
