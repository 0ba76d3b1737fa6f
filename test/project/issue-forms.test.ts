import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { mapping, readYaml } from '../../local-runner/yaml.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../.github/ISSUE_TEMPLATE');
const TYPES = ['checkboxes', 'dropdown', 'input', 'markdown', 'textarea'];

for (const file of globSync('*.yml', { cwd: FOLDER, exclude: ['config.yml'] })) {
  test(`${file} is a form that GitHub can show`, async () => {
    const form = await readYaml(path.join(FOLDER, file));
    for (const key of ['name', 'description']) assert.equal(typeof form[key], 'string', key);
    const fields = Object.values(mapping(form['body'])).map(mapping);
    assert.ok(fields.length > 0);
    for (const { type, attributes } of fields) {
      assert.ok(TYPES.includes(String(type)), String(type));
      assert.equal(typeof mapping(attributes)['label'], 'string');
    }
    const ids = fields.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'two fields have one id');
  });
}
