import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../local-runner/action-file.ts';
import { withTables } from '../../scripts/readme-tables.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

test('the tables in README.md are those of action.yml (npm run docs makes them anew)', async () => {
  const readme = await readFile(path.join(PROJECT, 'README.md'), 'utf8');
  assert.equal(readme, withTables(readme, await readActionFile(PROJECT)));
});
