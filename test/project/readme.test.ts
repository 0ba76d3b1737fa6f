import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../local-runner/action-file.ts';
import { ACTION_FOLDERS, withTables } from '../../scripts/readme-tables.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

for (const folder of ACTION_FOLDERS) {
  const file = path.join(folder, 'README.md');
  test(`the tables in ${file} are those of its action.yml (npm run docs makes them anew)`, async () => {
    const readme = await readFile(path.join(PROJECT, file), 'utf8');
    assert.equal(readme, withTables(readme, await readActionFile(path.join(PROJECT, folder))));
  });
}
