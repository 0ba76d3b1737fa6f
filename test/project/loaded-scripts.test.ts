import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ACTIONS } from '../../src/inputs/actions.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** The code of the search and the transfer, and of the packages that only they use. */
const TRANSFER = ['transfer.js', 'vendor.js'];

for (const { folder, scripts } of Object.values(ACTIONS))
  for (const script of scripts) {
    const transfers = ['.', 'upload', 'download'].includes(folder);
    test(`dist/${script}.js ${transfers ? 'loads' : 'never loads'} the search and the transfer`, () => {
      const loaded = loadedBy(`${script}.js`);
      assert.ok(loaded.has('shared.js'));
      assert.deepEqual(
        TRANSFER.filter(file => loaded.has(file)),
        transfers ? TRANSFER : [],
      );
    });
  }

/** Returns a file of dist and all files that it imports, directly or through others. */
function loadedBy(file: string, loaded = new Set<string>()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const text = readFileSync(path.join(DIST, file), 'utf8');
  const imports = text.matchAll(/^(?:import|export)\b.*["']\.\/([\w-]+\.js)["'];$/gm);
  for (const [, name = ''] of imports) loadedBy(name, loaded);
  return loaded;
}
