import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { type Mapping, mapping, readYaml } from '../../dev/runner/yaml.ts';
import { ACTIONS, type ActionName } from '../../src/inputs/actions.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { parseInputs } from '../../src/inputs/inputs.ts';
import { REQUIRED } from '../inputs/parse-inputs.ts';

// The format is that of https://github.com/typesafegithub/github-actions-typing.

const PROJECT = path.resolve(import.meta.dirname, '../..');
const LINES = { type: 'list', separator: '\n', 'list-item': { type: 'string' } };

for (const action of Object.keys(ACTIONS).filter(isAction)) {
  const folder = path.join(PROJECT, ACTIONS[action].folder);
  const types = await readYaml(path.join(folder, 'action-types.yml'));
  const { inputs, outputs } = await readActionFile(folder);

  test(`${action}: action-types.yml has a type for each input and output of action.yml`, () => {
    assert.deepEqual(Object.keys(mapping(types['inputs'])), namesOf(inputs));
    assert.deepEqual(Object.keys(mapping(types['outputs'])), namesOf(outputs));
    for (const type of typesIn(types['outputs'])) assertKnown(type);
  });

  test(`${action}: inputs accept what action-types.yml allows, and reject other words`, () => {
    for (const [name, value] of Object.entries(mapping(types['inputs']))) {
      const type = mapping(value);
      assertKnown(type);
      const words = allowedWords(type);
      for (const word of words) assert.ok(accepts(action, name, word), `${name}: ${word}`);
      if (words.length > 0) assert.ok(!accepts(action, name, 'other'), `${name}: other`);
    }
  });
}

function isAction(name: string): name is ActionName {
  return name in ACTIONS;
}

function namesOf(described: readonly { readonly name: string }[]): string[] {
  return described.map(({ name }) => name);
}

function typesIn(section: unknown): Mapping[] {
  return Object.values(mapping(section)).map(mapping);
}

function assertKnown(type: Mapping): void {
  if (type['type'] === 'list') return assert.deepEqual(type, LINES);
  const keys = type['type'] === 'enum' ? ['type', 'allowed-values'] : ['type'];
  assert.deepEqual(Object.keys(type), keys);
  assert.match(String(type['type']), /^(string|boolean|integer|float|enum)$/);
}

/** Returns values to try; none for types that allow any text. */
function allowedWords(type: Mapping): string[] {
  if (type['type'] === 'boolean') return ['true', 'false'];
  if (type['type'] === 'integer') return ['1'];
  return Object.values(mapping(type['allowed-values'])).map(String);
}

function accepts(action: ActionName, name: string, value: string): boolean {
  const required = action === 'sandbox' ? REQUIRED.sandbox : { ...REQUIRED.sync, ...REQUIRED.run };
  try {
    // A signature-expiration needs a signature. Each action with `files` accepts a plain name.
    const given = { ...required, files: 'a.txt', signature: 'v1_a1b2c3', [name]: value };
    parseInputs(action, given);
    return true;
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return false;
  }
}
