import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type ActionFile, readActionFile } from '../../local-runner/action-file.ts';
import { mistakesIn } from '../../local-runner/mistakes.ts';
import type { JobStep, Use } from '../../local-runner/workflow-file.ts';
import { readWorkflow } from '../../local-runner/workflow-file.ts';
import { mapping, readYaml } from '../../local-runner/yaml.ts';

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
    const steps = jobs.flatMap(job => job.steps);

    test('is run by a test', () => assert.ok(TESTS.includes(`'${name}'`)));

    test('says who needs it, asks for little, and ends by itself', async () => {
      const { name: title, on, permissions, jobs: all } = await readYaml(file);
      assert.match(text, /^# For .+\n(# .+\n){0,2}name: /);
      assert.ok(title !== undefined && on !== undefined);
      assert.deepEqual(permissions, { contents: 'read' });
      for (const job of Object.values(mapping(all))) assert.ok('timeout-minutes' in mapping(job));
    });

    test('gives each action of this project what it needs, and nothing that it does not know', async () => {
      const uses = ownUses(steps);
      assert.ok(uses.length > 0);
      for (const { action, inputs } of await Promise.all(uses.map(withAction))) {
        const given = Object.keys(inputs);
        const required = action.inputs.filter(input => input.required).map(input => input.name);
        assert.deepEqual(notIn(given, required), []);
        assert.deepEqual(notIn(namesOf(action.inputs), given), []);
        assert.ok(Object.values(inputs).join('\n').split('\n').length <= 10);
      }
    });

    test('names outputs that there are', async () => assert.deepEqual(await mistakesIn(jobs), []));

    test('hands no expression to a shell, and runs no file that the reader does not have', () => {
      for (const { does } of steps) assert.ok(!('script' in does && /\$\{\{|(^|\s)\.{1,2}\//.test(does.script)));
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

type OwnUse = Use & { readonly id: string | undefined };

function ownUses(steps: readonly JobStep[]): OwnUse[] {
  const uses = steps.flatMap(({ id, does }) => ('uses' in does ? [{ ...does, id }] : []));
  return uses.filter(use => use.uses.startsWith('sandbox-sync/'));
}

async function withAction(use: OwnUse): Promise<OwnUse & { readonly action: ActionFile }> {
  const own = OWN.exec(use.uses) ?? assert.fail(`${use.uses} is no action of this project`);
  return { ...use, action: await readActionFile(path.join(PROJECT, own.groups?.['folder'] ?? '')) };
}

function namesOf(described: ActionFile['outputs']): string[] {
  return described.map(({ name }) => name);
}

/** Those of some names which are not among those that are known. */
function notIn(known: readonly string[], names: readonly string[]): string[] {
  return names.filter(name => !known.includes(name));
}
