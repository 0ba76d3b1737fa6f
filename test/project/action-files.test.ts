import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { inputNames } from '../../src/inputs/inputs.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const FOLDERS = {
  sync: '',
  upload: 'upload',
  stats: 'stats',
  monitor: 'monitor',
  sandbox: 'sandbox',
  'monitor-stop': 'monitor/stop',
} as const;
const read = (task: keyof typeof FOLDERS) => readActionFile(path.join(PROJECT, FOLDERS[task]));

/** Inputs that the root action does not have. */
const OWN_INPUTS = {
  sync: [],
  upload: [],
  stats: [],
  monitor: ['sample-interval', 'max-duration', 'name'],
  'monitor-stop': ['monitor'],
  sandbox: [
    'api-url',
    'api-key',
    'template',
    'lifetime',
    'metadata',
    'env',
    'sandbox-id',
    'delete',
    'wait',
  ],
};

for (const task of ['sync', 'upload', 'stats', 'monitor', 'monitor-stop', 'sandbox'] as const) {
  describe(path.join(FOLDERS[task], 'action.yml'), () => {
    test('runs on the runtime of these tests', async () => {
      const { using } = await read(task);
      assert.equal(using, `node${process.versions.node.split('.')[0]}`);
    });

    test('names the inputs that the task reads, and no others', async () => {
      const { inputs } = await read(task);
      assert.deepEqual(inputs.map(input => input.name).sort(), inputNames(task).sort());
    });

    test('says of an input or output what the other action.yml files say of it', async () => {
      const root = await read('sync');
      const known = new Map(root.inputs.map(input => [input.name, input]));
      const { inputs, outputs } = await read(task);
      // A monitor samples less often by default, and creating a sandbox needs no ID.
      if (task === 'monitor') known.delete('sample-interval');
      if (task === 'sandbox') known.delete('sandbox-id');
      for (const input of inputs.filter(({ name }) => known.has(name)))
        assert.deepEqual(input, known.get(input.name));
      const knownOutputs = new Map(root.outputs.map(output => [output.name, output]));
      for (const output of outputs.filter(({ name }) => knownOutputs.has(name)))
        assert.deepEqual(output, knownOutputs.get(output.name));
      const own = inputs.map(({ name }) => name).filter(name => !known.has(name));
      assert.deepEqual(own, OWN_INPUTS[task]);
    });
  });
}
