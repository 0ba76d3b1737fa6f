import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  type Mapping,
  mapping,
  readActionFile,
  readYaml,
  text,
} from '../../dev/runner/action-file.ts';
import { ACTIONS, INPUTS } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { REQUIRED } from '../support/parse-inputs.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: PROJECT })
  .map(file => readFileSync(path.join(PROJECT, file), 'utf8'))
  .join('\n');

for (const name of globSync('examples/*.yml', { cwd: PROJECT }).toSorted()) {
  const file = path.join(PROJECT, name);
  const { permissions, jobs } = await readYaml(file);
  const steps = Object.values(mapping(jobs)).flatMap(job =>
    Object.values(mapping(mapping(job)['steps'])).map(mapping),
  );

  test(`an example says what it is for, reads the contents only, and limits the time of its jobs [${path.basename(name)}]`, () => {
    assert.match(readFileSync(file, 'utf8'), /^# For .+\n(# .+\n){0,2}name: /);
    assert.deepEqual(permissions, { contents: 'read' });
    for (const job of Object.values(mapping(jobs))) assert.ok('timeout-minutes' in mapping(job));
  });

  test(`an example passes expressions to scripts through env [${path.basename(name)}]`, () => {
    const scripts = steps.flatMap(step => [step['run'], mapping(step['with'])['run']]);
    for (const script of scripts) assert.doesNotMatch(text(script), /\$\{\{|(^|\s)\.{1,2}\//);
  });

  test(`an example uses the versions of other actions that this project uses [${path.basename(name)}]`, () => {
    for (const uses of steps.map(step => text(step['uses']))) {
      if (uses === '' || folderOf(uses) !== undefined) continue;
      const [action = '', version = ''] = uses.split('@');
      const [, pinned = version] = RegExp(`${action}@\\w+ # (v\\d+)`).exec(WORKFLOWS) ?? [];
      assert.match(version, /^v\d+$/);
      assert.equal(version, pinned, uses);
    }
  });

  test(`an example gives the actions of this project inputs that they accept [${path.basename(name)}]`, async () => {
    for (const step of steps) {
      const folder = folderOf(text(step['uses']));
      if (folder !== undefined) await assertAccepted(mapping(step['with']), folder);
    }
  });
}

/** Returns the folder of an action of this project, or undefined for other steps. */
function folderOf(uses: string): string | undefined {
  return /^sandbox-sync\/sandbox-sync\/?([\w/]*)@v1$/.exec(uses)?.[1];
}

async function assertAccepted(given: Mapping, folder: string): Promise<void> {
  const { inputs } = await readActionFile(path.join(PROJECT, folder));
  const names = inputs.map(({ name }) => name);
  for (const name of Object.keys(given)) assert.ok(names.includes(name), name);
  for (const { name, required } of inputs) assert.ok(!required || name in given, name);
  const values = Object.entries(given).map(([name, value]) => [name, text(value)] as const);
  const literal = values.filter(([, value]) => !value.includes('${{'));
  // Stand-ins for values that an example takes from earlier steps or expressions.
  const [id, template] = 'sandbox-id' in given ? ['i1a2b3c4d5', ''] : ['', 'base'];
  const api = { ...REQUIRED.sandbox, template, 'sandbox-id': id };
  const provided = folder === 'sandbox' ? api : REQUIRED.sync;
  const action = Object.values(ACTIONS).find(each => each.folder === (folder || '.'));
  // An action's main script has the name of the entry point that parses its inputs.
  const [entry] = action?.scripts ?? assert.fail(`${folder} is not an action`);
  parseInputs(INPUTS[entry], { ...provided, ...Object.fromEntries(literal) });
}
