import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { startAgent } from '../../local-agent/agent.ts';
import { readActionFile } from '../../local-runner/action-file.ts';
import { runStep, type StepEnd } from '../../local-runner/step.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const DOCUMENTS = ['README.md', 'upload/README.md', 'stats/README.md', 'monitor/README.md'];
const OWN = /^sandbox-sync\/sandbox-sync(?:\/(?<folder>\w+))?@v1$/;

interface Recipe {
  readonly document: string;
  /** Folder of the action below the project's. */
  readonly folder: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Every step in the documents that uses an action of this project with all that it needs. */
const RECIPES = DOCUMENTS.flatMap(recipesIn).filter(({ inputs }) => 'token' in inputs);

test('the documents have recipes for every action', () => {
  assert.deepEqual([...new Set(RECIPES.map(recipe => recipe.folder))].sort(), ['', 'monitor', 'stats', 'upload']);
});

describe('each recipe works as it is written', { concurrency: 2 }, () => {
  for (const [index, recipe] of RECIPES.entries()) {
    test(`${recipe.document}, recipe ${index + 1}: ${path.join('.', recipe.folder)}`, async t => {
      const temp = mkdtempSync(path.join(tmpdir(), 'recipe-'));
      t.after(() => rmSync(temp, { recursive: true, force: true }));
      const workspace = path.join(temp, 'work');
      mkdirSync(path.join(workspace, 'dist'), { recursive: true });
      writeFileSync(path.join(workspace, 'dist/index.html'), '<p>');
      writeFileSync(path.join(workspace, 'package.json'), '{}');
      const metrics = () => ({
        cpu_used_pct: 5,
        mem_total: 2 ** 32,
        mem_used: 2 ** 30,
        disk_total: 2 ** 33,
        disk_used: 2 ** 30,
      });
      const root = path.join(temp, 'root');
      await using agent = await startAgent({
        root,
        token: 'token-1',
        sandboxId: 'sandbox1',
        metrics,
        headerPrefix: prefixOf(recipe),
      });
      const end = await run(recipe, agent.url, { workspace, temp });
      assert.equal(end.exitCode, 0, end.stdout + end.stderr);
      assert.ok(agent.requests.length > 0);
    });
  }
});

/** What the expressions come to that an action could not work with as they are written. */
const VALUES: Readonly<Record<string, string>> = { '${{ steps.this.outputs.shard }}': '1/1' };

/** Runs a recipe against the agent, the expressions of its workflow filled in. */
async function run(recipe: Recipe, url: string, places: { workspace: string; temp: string }): Promise<StepEnd> {
  const inputs = Object.entries(recipe.inputs).map(([name, value]) => [name, VALUES[value] ?? value]);
  const filled = {
    ...Object.fromEntries(inputs),
    'sandbox-id': 'sandbox1',
    token: 'token-1',
    'base-url': url,
  };
  const step = { action: path.join(PROJECT, recipe.folder), inputs: filled, ...places };
  const main = await runStep(step);
  if ((await readActionFile(step.action)).post === undefined || main.exitCode !== 0) return main;
  return runStep({ ...step, post: { state: main.state } });
}

function prefixOf({ inputs }: Recipe): string {
  return inputs['header-prefix'] ?? 'Svc';
}

function recipesIn(document: string): Recipe[] {
  const text = readFileSync(path.join(PROJECT, document), 'utf8');
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = '']): unknown => parse(block));
  return blocks.flatMap(stepsIn).flatMap(step => recipeOf(document, step));
}

function recipeOf(document: string, { uses, with: inputs }: Readonly<Record<string, unknown>>): Recipe[] {
  const match = typeof uses === 'string' ? OWN.exec(uses) : null;
  if (match === null || typeof inputs !== 'object' || inputs === null) return [];
  const values = Object.entries(inputs).map(([name, value]) => [name, String(value)]);
  return [{ document, folder: match.groups?.['folder'] ?? '', inputs: Object.fromEntries(values) }];
}

/** The objects anywhere in a document that have a `uses`. */
function stepsIn(node: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(stepsIn);
  return 'uses' in node ? [{ ...node }, ...below] : below;
}
