import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../local-runner/action-file.ts';
import { syncInputNames } from '../../src/inputs/sync.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

test('action.yml is valid by the published schema', t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'action-file-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const text = readFileSync(path.join(PROJECT, 'action.yml'), 'utf8');
  // The validator's copy of the schema ends at node20; the runtime is checked by the next test.
  writeFileSync(path.join(folder, 'action.yml'), text.replace('using: node24', 'using: node20'));
  execFileSync(path.join(PROJECT, 'node_modules/.bin/action-validator'), [path.join(folder, 'action.yml')]);
});

test('the runtime of action.yml is the one these tests run on', async () => {
  const { using } = await readActionFile(PROJECT);
  assert.equal(using, `node${process.versions.node.split('.')[0]}`);
});

test('action.yml names the inputs that the action reads, and no others', async () => {
  const { inputs } = await readActionFile(PROJECT);
  assert.deepEqual(inputs.map(input => input.name).sort(), [...syncInputNames].sort());
});
