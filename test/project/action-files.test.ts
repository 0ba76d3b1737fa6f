import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { readYaml } from '../../dev/runner/yaml.ts';
import { ACTIONS, type ActionName } from '../../src/inputs/actions.ts';
import { inputNames, parseInputs } from '../../src/inputs/inputs.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { REQUIRED } from '../inputs/parse-inputs.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

const NAMES: readonly ActionName[] = [
  'sync',
  'upload',
  'download',
  'stats',
  'run',
  'monitor',
  'monitor-stop',
  'sandbox',
];

test('every action is tested', () => {
  assert.deepEqual(Object.keys(ACTIONS), NAMES);
});

for (const action of NAMES) {
  const { folder, scripts } = ACTIONS[action];
  const directory = path.join(PROJECT, folder);
  const { inputs, using, main, post } = await readActionFile(directory);
  const required: Partial<Record<ActionName, RawInputs>> = REQUIRED;
  const valid = required[action] ?? REQUIRED.sync;

  test(`${action}: action.yml names the inputs that the code reads`, () => {
    assert.deepEqual(inputs.map(({ name }) => name).sort(), inputNames(action).sort());
  });

  test(`${action}: action.yml states the defaults that the code has`, () => {
    const defaults = inputs.map(({ name, default: value = '' }) => [name, value]);
    const filled: RawInputs = { ...Object.fromEntries(defaults), ...valid };
    assert.deepEqual(parseInputs(action, filled), parseInputs(action, valid));
  });

  test(`${action}: action.yml requires the inputs that no earlier step can provide`, () => {
    const connected =
      action === 'sandbox' ? { template: 'base' } : { ...valid, files: '', run: '' };
    const names = inputs.filter(input => input.required).map(({ name }) => name);
    if (names.length === 0) return assert.doesNotThrow(() => parseInputs(action, connected));
    const message = names.map(name => `${name}: is (required|empty).*`).join('\n');
    assert.throws(() => parseInputs(action, connected), { message: RegExp(`^${message}$`) });
  });

  test(`${action}: action.yml runs its scripts in dist with the Node of this project`, () => {
    assert.equal(using, `node${process.versions.node.split('.')[0]}`);
    const [first] = scripts;
    const expected = [first, ...scripts.filter(name => name.endsWith('-post'))];
    assert.deepEqual(
      [main, ...(post === undefined ? [] : [post])].map(file => path.join(directory, file)),
      expected.map(name => path.join(PROJECT, 'dist', `${name}.js`)),
    );
  });

  test(`${action}: the description fits the Marketplace, which cuts at 125 characters`, async () => {
    const { description } = await readYaml(path.join(directory, 'action.yml'));
    assert.ok(String(description).length < 125);
  });
}
