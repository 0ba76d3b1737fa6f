import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile, readYaml } from '../../dev/runner/action-file.ts';
import { ACTIONS, type ActionName, INPUTS } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { REQUIRED } from '../support/parse-inputs.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

for (const action of Object.keys(ACTIONS).filter(isAction)) {
  const { folder, scripts } = ACTIONS[action];
  const parsers = INPUTS[action];
  const directory = path.join(PROJECT, folder);
  const { inputs, using, main, post } = await readActionFile(directory);
  const required: Partial<Record<ActionName, RawInputs>> = REQUIRED;
  const valid = required[action] ?? REQUIRED.sync;

  test(`action.yml names the inputs that the code reads [${action}]`, () => {
    assert.deepEqual(inputs.map(({ name }) => name).sort(), Object.keys(parsers).sort());
  });

  test(`action.yml states the defaults that the code has [${action}]`, () => {
    const defaults = inputs.map(({ name, default: value = '' }) => [name, value]);
    const filled: RawInputs = { ...Object.fromEntries(defaults), ...valid };
    assert.deepEqual(parseInputs(parsers, filled), parseInputs(parsers, valid));
  });

  test(`action.yml requires the inputs that no earlier step can provide [${action}]`, () => {
    // What `sandbox` needs depends on its other inputs.
    const connected = action === 'sandbox' ? valid : { ...valid, files: '', run: '' };
    const names = inputs.filter(input => input.required).map(({ name }) => name);
    if (names.length === 0) return assert.doesNotThrow(() => parseInputs(parsers, connected));
    const message = names.map(name => `${name}: is (required|empty).*`).join('\n');
    assert.throws(() => parseInputs(parsers, connected), { message: RegExp(`^${message}$`) });
  });

  test(`action.yml runs its scripts in dist with the Node of this project [${action}]`, () => {
    assert.equal(using, `node${process.versions.node.split('.')[0]}`);
    const [first] = scripts;
    const expected = [first, ...scripts.filter(name => name.endsWith('-post'))];
    assert.deepEqual(
      [main, ...(post === undefined ? [] : [post])].map(file => path.join(directory, file)),
      expected.map(name => path.join(PROJECT, 'dist', `${name}.js`)),
    );
  });

  test(`the description of an action fits the Marketplace, which cuts at 125 characters [${action}]`, async () => {
    const { description } = await readYaml(path.join(directory, 'action.yml'));
    assert.ok(String(description).length < 125);
  });
}

function isAction(name: string): name is ActionName {
  return name in ACTIONS;
}
