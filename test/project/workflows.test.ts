import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type Mapping, mapping, readYaml } from '../../dev/runner/yaml.ts';
import { problemsIn } from './github-parser.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: PROJECT });
const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

for (const file of WORKFLOWS) {
  describe(file, async () => {
    const workflow = await readYaml(path.join(PROJECT, file));
    const jobs = Object.entries(mapping(workflow['jobs'])).map(
      ([name, job]) => [name, mapping(job)] as const,
    );

    test('pins the actions of others to commits, and says which versions they are', () => {
      const uses = [...read(file).matchAll(/\buses: (?!\.\/)(.*)$/gm)].map(([, used = '']) => used);
      for (const used of uses)
        assert.match(used, /^[\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    test('has no permission that a job does not ask for, and ends by itself', () => {
      assert.deepEqual(workflow['permissions'], {});
      assert.ok('concurrency' in workflow);
      for (const [name, job] of jobs) {
        assert.ok('permissions' in job, name);
        assert.ok('timeout-minutes' in job || 'uses' in job, name);
      }
    });

    test('leaves no credentials behind, and no expression to a shell', () => {
      for (const step of jobs.flatMap(([, job]) => stepsOf(job))) {
        assert.doesNotMatch(JSON.stringify(step['run'] ?? ''), /\$\{\{/);
        if (!JSON.stringify(step['uses'])?.startsWith('"actions/checkout@')) continue;
        assert.equal(mapping(step['with'])['persist-credentials'], false);
      }
    });

    test('runs its scripts by bash on every system', () => {
      for (const [name, job] of jobs) {
        if (!JSON.stringify(job).includes('windows-')) continue;
        assert.equal(mapping(mapping(job['defaults'])['run'])['shell'], 'bash', name);
      }
    });
  });
}

describe('GitHub finds nothing wrong with', () => {
  const files = globSync('{{.github/workflows,examples}/*,{,upload/,stats/,monitor/}action}.yml', {
    cwd: PROJECT,
  });
  for (const file of files)
    test(file, async () => assert.deepEqual(await problemsIn(file, read(file)), []));
});

describe("GitHub's parser finds", () => {
  const mistakes: Readonly<Record<string, readonly [now: string, then: string, message: RegExp]>> =
    {
      'an unknown context': ['steps.monitor', 'step.monitor', /Unrecognized named-value: 'step'/],
      'an unknown key': ['timeout-minutes', 'timeout', /Unexpected value 'timeout'/],
      'an unknown function': ['toJSON(', 'asJSON(', /Unrecognized function: 'asJSON'/],
      'a list in place of text': ['files: dev/e2e/site/missing/**', 'files: [a]', /sequence/],
      'a job that is not there': ['needs: verify', 'needs: verity', /unknown job 'verity'/],
    };
  for (const [name, [now, then, message]] of Object.entries(mistakes)) {
    test(name, async () => {
      const file = WORKFLOWS.find(each => read(each).includes(now)) ?? assert.fail(now);
      const problems = await problemsIn(file, read(file).replaceAll(now, then));
      assert.match(problems.join('\n'), message);
    });
  }
});

test('one action is pinned to one commit everywhere', () => {
  const pins = WORKFLOWS.flatMap(file => [
    ...read(file).matchAll(/uses: ([\w-]+\/[\w-]+)\S*@(\S+)/g),
  ]);
  const commits = new Map(pins.map(([, action, commit]) => [action, commit]));
  for (const [pin, action, commit] of pins) assert.equal(commit, commits.get(action), pin);
});

test('Dependabot watches every folder with packages, and the actions', async () => {
  const { updates } = await readYaml(path.join(PROJECT, '.github/dependabot.yml'));
  const watched = Object.values(mapping(updates)).map(mapping);
  const foldersOf = (ecosystem: string) =>
    watched
      .filter(update => update['package-ecosystem'] === ecosystem)
      .map(update => update['directory']);
  const locks = globSync('{,dev/*/}package-lock.json', { cwd: PROJECT }).map(
    file => `/${path.dirname(file)}`,
  );
  assert.deepEqual(foldersOf('npm'), locks.map(folder => folder.replace('/.', '/')).toSorted());
  assert.deepEqual(foldersOf('github-actions'), ['/']);
});

function stepsOf(job: Mapping): Mapping[] {
  return Object.values(mapping(job['steps'])).map(mapping);
}
