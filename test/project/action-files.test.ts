import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readActionFile } from '../../local-runner/action-file.ts';
import { inputNames } from '../../src/inputs/table.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const FOLDERS = { sync: '', upload: 'upload', stats: 'stats', monitor: 'monitor' } as const;
const read = (task: keyof typeof FOLDERS) => readActionFile(path.join(PROJECT, FOLDERS[task]));

for (const task of ['sync', 'upload', 'stats', 'monitor'] as const) {
  describe(path.join(FOLDERS[task], 'action.yml'), () => {
    test('runs on the runtime of these tests, and what it runs is there', async () => {
      const { using, main, post } = await read(task);
      assert.equal(using, `node${process.versions.node.split('.')[0]}`);
      for (const script of [main, post ?? main]) {
        assert.ok(existsSync(path.join(PROJECT, FOLDERS[task], script)), script);
      }
    });

    test('names the inputs that the task reads, and no others', async () => {
      const { inputs } = await read(task);
      assert.deepEqual(inputs.map(input => input.name).sort(), inputNames(task).sort());
    });

    test('says of an input or output what the other action.yml files say of it', async () => {
      const root = await read('sync');
      const known = new Map([...root.inputs, ...root.outputs].map(entry => [entry.name, entry]));
      const { inputs, outputs } = await read(task);
      // A monitor has long to last.
      if (task === 'monitor') known.delete('sample-interval');
      const shared = [...inputs, ...outputs].filter(({ name }) => known.has(name));
      for (const entry of shared) assert.deepEqual(entry, known.get(entry.name));
      const own = inputs.map(({ name }) => name).filter(name => !known.has(name));
      assert.deepEqual(own, task === 'monitor' ? ['sample-interval', 'max-duration'] : []);
    });
  });
}
