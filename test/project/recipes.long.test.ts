import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import {
  type Inputs,
  openWorld,
  runWell,
  SANDBOX_ID,
  type Task,
  TOKEN,
  type World,
} from '../action/harness.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const DOCUMENTS = [
  'README.md',
  'upload/README.md',
  'stats/README.md',
  'monitor/README.md',
  'monitor/stop/README.md',
];
const TASKS = ['sync', 'upload', 'stats', 'monitor'] as const;
const OWN = /^sandbox-sync\/sandbox-sync(?:\/(?<folder>\w+))?@v1$/;

interface Recipe {
  readonly document: string;
  readonly task: Task;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Metrics that meet no limit of a recipe. */
const IDLE = {
  cpu_used_pct: 5,
  mem_total: 2 ** 32,
  mem_used: 2 ** 30,
  disk_total: 2 ** 33,
  disk_used: 2 ** 30,
};

/** Every complete step in the documents that uses an action of this project. */
const RECIPES = DOCUMENTS.flatMap(recipesIn).filter(({ inputs }) => 'token' in inputs);

test('the documents have recipes for every action', () => {
  assert.deepEqual([...new Set(RECIPES.map(recipe => recipe.task))].sort(), [
    'monitor',
    'stats',
    'sync',
    'upload',
  ]);
});

describe('each recipe works as it is written', { concurrency: 2 }, () => {
  for (const [index, recipe] of RECIPES.entries()) {
    test(`${recipe.document}, recipe ${index + 1}: ${recipe.task}`, async () => {
      const files = { 'dist/index.html': '<p>', 'package.json': '{}' };
      const headerPrefix = recipe.inputs['header-prefix'] ?? 'Svc';
      await using world = await openWorld({ files, metrics: () => IDLE, headerPrefix });
      const main = await runWell(world, filled(recipe, world), { task: recipe.task });
      if (recipe.task === 'monitor')
        await runWell(world, filled(recipe, world), { task: recipe.task, post: main });
      assert.ok(world.agent.requests.length > 0);
    });
  }
});

/** Values for expressions that an action could not take as text. */
const VALUES: Readonly<Record<string, string>> = { '${{ steps.this.outputs.shard }}': '1/1' };

/** A recipe's inputs for the world's sandbox, with expressions evaluated. */
function filled({ inputs }: Recipe, { agent }: World): Inputs {
  const values = Object.entries(inputs).map(([name, value]) => [name, VALUES[value] ?? value]);
  return {
    ...Object.fromEntries(values),
    'sandbox-id': SANDBOX_ID,
    token: TOKEN,
    'base-url': agent.url,
  };
}

function recipesIn(document: string): Recipe[] {
  const text = readFileSync(path.join(PROJECT, document), 'utf8');
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']): unknown =>
    parse(block),
  );
  return blocks.flatMap(stepsIn).flatMap(step => recipeOf(document, step));
}

function recipeOf(
  document: string,
  { uses, with: inputs }: Readonly<Record<string, unknown>>,
): Recipe[] {
  const match = typeof uses === 'string' ? OWN.exec(uses) : null;
  if (match === null || typeof inputs !== 'object' || inputs === null) return [];
  const values = Object.entries(inputs).map(([name, value]) => [name, String(value)]);
  const task = TASKS.find(name => name === (match.groups?.['folder'] ?? 'sync'));
  return task === undefined ? [] : [{ document, task, inputs: Object.fromEntries(values) }];
}

/** All objects in a document with a `uses`. */
function stepsIn(node: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(stepsIn);
  return 'uses' in node ? [{ ...node }, ...below] : below;
}
