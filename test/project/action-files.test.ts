import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { readYaml } from '../../dev/runner/yaml.ts';
import { ACTIONS } from '../../src/inputs/actions.ts';
import { inputNames } from '../../src/inputs/inputs.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
for (const action of ['sync', 'upload', 'stats', 'monitor', 'monitor-stop', 'sandbox'] as const) {
  const folder = path.join(PROJECT, ACTIONS[action].folder);

  test(`${action}: action.yml names the inputs that the code reads, and the built files`, async () => {
    const { inputs, using, main, post } = await readActionFile(folder);
    const names = inputs.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), inputNames(action).sort());
    assert.equal(using, `node${process.versions.node.split('.')[0]}`);
    for (const script of [main, ...(post === undefined ? [] : [post])])
      assert.match(path.relative(PROJECT, path.join(folder, script)), /^dist.[\w-]+\.js$/);
  });

  test(`${action}: the description fits the Marketplace, which cuts at 125 characters`, async () => {
    const { description } = await readYaml(path.join(folder, 'action.yml'));
    assert.ok(String(description).length < 125);
  });
}
