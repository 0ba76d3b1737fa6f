import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { hasOpenssl } from '../../dev/agent/keys.ts';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { mapping, readYaml } from '../../dev/runner/yaml.ts';
import { WITHOUT_BASH } from '../system.ts';
import { METRICS } from './agent-answers.ts';
import { PROJECT } from './run-action.ts';
import { openStage, type Run, SITE, type Stage } from './stage.ts';
import { type Files } from './test-job.ts';

const skip = WITHOUT_BASH || (!hasOpenssl && 'needs openssl');

function assertSucceeded({ succeeded, log }: Run, said = /^/): void {
  assert.ok(succeeded, log);
  assert.match(log, said);
}

/** Asserts that the app in a sandbox consists of these files. */
function assertHolds(stage: Stage, id: string, files: Files): void {
  const { 'package.json': _, ...found } = stage.app(id);
  const expected = Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]);
  assert.deepEqual(found, Object.fromEntries(expected));
}

/** The sandbox that the example created. */
function createdIn({ plane }: Stage): string {
  return plane.created[1]?.id ?? assert.fail('no sandbox was created');
}

describe('the example', { skip }, () => {
  test('sync.yml creates a sandbox, syncs the build into it, and deletes it', async () => {
    await using stage = await openStage();
    assertSucceeded(await stage.run('sync.yml'));
    assertHolds(stage, createdIn(stage), SITE);
    assert.deepEqual(stage.plane.running(), ['box']);
  });

  test('other-job.yml hands on the ID, gets the token again, and deletes the sandbox', async () => {
    await using stage = await openStage();
    assertSucceeded(await stage.run('other-job.yml'), /^tested$/m);
    assertHolds(stage, createdIn(stage), SITE);
    assert.match(stage.plane.requests.join('\n'), /\/connect 200/);
    assert.deepEqual(stage.plane.running(), ['box']);
  });

  test('only-changed.yml sends everything again after a failure, and then what changed', async () => {
    await using stage = await openStage();
    const [box] = stage.plane.created;
    box?.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'status', status: 400 } });
    const changed = { ...SITE, 'index.html': '<!doctype html><p>\n', 'new.txt': 'new' };
    assert.equal((await stage.run('only-changed.yml')).succeeded, false);
    for (const [site, sent] of [
      [SITE, '4'],
      [changed, '2'],
    ] as const) {
      const run = await stage.run('only-changed.yml', { site });
      assertSucceeded(run);
      const sync = run.steps.find(({ step }) => step.id === 'sync');
      assert.equal(sync?.end?.outputs['uploaded-count'], sent);
    }
    assertHolds(stage, 'box', changed);
  });

  test('monitor.yml fails the job if memory was high for a moment', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'load-'));
    const [load, seen] = [path.join(folder.path, 'load'), path.join(folder.path, 'seen')];
    const metrics = () => {
      if (!existsSync(load) || existsSync(seen)) return METRICS;
      writeFileSync(seen, '');
      return { ...METRICS, mem_used: METRICS.mem_total };
    };
    await using stage = await openStage({ agents: { metrics } });
    const wait = `bash -c 'touch ${load}; until [ -e ${seen} ]; do sleep 0.05; done'`;
    const run = await stage.run('monitor.yml', { test: wait });
    assert.equal(run.succeeded, false);
    const failed = run.steps.filter(({ outcome }) => outcome === 'failure');
    assert.deepEqual(
      failed.map(({ phase, step }) => [phase, path.posix.basename(step.uses ?? '')]),
      [['post', 'monitor@v1']],
    );
    // The monitor ends first, so it sees the sandbox to the end.
    assert.match(run.log, /── Post .*monitor@v1[\s\S]*── Post .*sandbox@v1/);
    assert.deepEqual(stage.plane.running(), ['box']);
  });

  test('proof.yml checks the sandbox and attests the files, and fails if one is missing', async () => {
    await using stage = await openStage();
    assertSucceeded(await stage.run('proof.yml'), /sha256:[0-9a-f]{64}$/m);
    const expected = Object.entries(SITE).map(([name, content]) => [
      `/home/user/app/${name}`,
      createHash('sha256').update(content).digest('hex'),
    ]);
    assert.deepEqual(Object.fromEntries(stage.attested), Object.fromEntries(expected));
    stage.attested.clear();
    const [box] = stage.plane.created;
    box?.agent.addFaults({ on: 'upload', times: 1, do: { kind: 'drop' } });
    const site = { 'other.html': 'other' };
    const { succeeded, log } = await stage.run('proof.yml', { site });
    assert.equal(succeeded, false);
    assert.match(log, /sha256sum: .*No such file or directory/);
    assert.equal(stage.attested.size, 0);
  });
});

const WORKFLOWS = globSync('.github/workflows/*.yml', { cwd: PROJECT })
  .map(file => readFileSync(path.join(PROJECT, file), 'utf8'))
  .join('\n');

describe('every example', () => {
  for (const name of globSync('examples/*.yml', { cwd: PROJECT }).toSorted())
    test(`${path.basename(name)} is written as it should be`, async () => {
      const file = path.join(PROJECT, name);
      const { permissions, jobs } = await readYaml(file);
      assert.match(readFileSync(file, 'utf8'), /^# For .+\n(# .+\n){0,2}name: /);
      assert.deepEqual(permissions, { contents: 'read' });
      for (const job of Object.values(mapping(jobs))) assert.ok('timeout-minutes' in mapping(job));
      for (const step of (await readWorkflow(file)).flatMap(({ steps }) => steps)) {
        assert.doesNotMatch(step.script, /\$\{\{|(^|\s)\.{1,2}\//, 'expressions go through env');
        const { uses = '', inputs } = step;
        const [, own] = /^sandbox-sync\/sandbox-sync\/?([\w/]*)@v1$/.exec(uses) ?? [];
        if (own === undefined) assertPinned(uses);
        else await assertFits(inputs, path.join(PROJECT, own));
      }
    });
});

/** Asserts that an action of others has the version that this project uses, if it does. */
function assertPinned(uses: string): void {
  const [action = '', version = ''] = uses.split('@');
  const [, pinned = version] = RegExp(`${action}@\\w+ # (v\\d+)`).exec(WORKFLOWS) ?? [];
  if (uses !== '') assert.deepEqual([/^v\d+$/.test(version), version], [true, pinned], uses);
}

/** Asserts that an own action has all the inputs given, and is given all that it requires. */
async function assertFits(given: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const { inputs } = await readActionFile(folder);
  const names = inputs.map(({ name }) => name);
  for (const name of Object.keys(given)) assert.ok(names.includes(name), name);
  for (const { name, required } of inputs) assert.ok(!required || name in given, name);
}
