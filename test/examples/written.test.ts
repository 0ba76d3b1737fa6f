import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { mapping, readYaml } from '../../dev/runner/yaml.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const OWN = /^sandbox-sync\/sandbox-sync(?:\/(?<folder>\w+))?@v1$/;
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const readAll = (pattern: string) => globSync(pattern, { cwd: PROJECT }).map(read).join('\n');
const EXAMPLES = globSync('examples/*.yml', { cwd: PROJECT }).map(file => path.basename(file));
const TESTS = readAll('test/examples/*.test.ts');
const WORKFLOWS = readAll('.github/workflows/*.yml');

for (const name of EXAMPLES) {
  describe(`examples/${name}`, async () => {
    const file = path.join(PROJECT, 'examples', name);
    const text = read(`examples/${name}`);
    const jobs = await readWorkflow(file);
    const steps = jobs.flatMap(job => job.steps.flat());

    test('is run by a test', () => assert.ok(TESTS.includes(`'${name}'`)));

    test('says who needs it, asks for little, and ends by itself', async () => {
      const { name: title, on, permissions, jobs: all } = await readYaml(file);
      assert.match(text, /^# For .+\n(# .+\n){0,2}name: /);
      assert.ok(title !== undefined && on !== undefined);
      assert.deepEqual(permissions, { contents: 'read' });
      for (const job of Object.values(mapping(all))) assert.ok('timeout-minutes' in mapping(job));
    });

    test('hands no expression to a shell, and runs no file that the reader does not have', () => {
      for (const { does } of steps)
        assert.ok(!('script' in does && /\$\{\{|(^|\s)\.{1,2}\//.test(does.script)));
    });

    test('uses the actions of others in the versions that this project uses', () => {
      for (const { does } of steps) {
        if (!('uses' in does) || OWN.test(does.uses)) continue;
        const [action = '', version = ''] = does.uses.split('@');
        assert.match(version, /^v\d+$/);
        const [, pinned = version] = new RegExp(`${action}@\\w+ # (v\\d+)`).exec(WORKFLOWS) ?? [];
        assert.equal(version, pinned, action);
      }
    });
  });
}
