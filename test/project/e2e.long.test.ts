import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { readJobSteps } from '../../local-runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const WORKFLOW = path.join(PROJECT, '.github/workflows/ci.yml');

suite('npm run e2e', { concurrency: 2, skip: WITHOUT_BASH }, () => {
  test('passes with the steps of ci.yml, every one of them run', async () => {
    const { code, log } = await run();
    assert.equal(code, 0, log);
    assert.match(log, /── All went as expected\.\n$/);
    const steps = await readJobSteps(WORKFLOW, 'self-run', 'npm ci');
    const unseen = steps.map(({ title }) => title).filter(title => !log.includes(`── ${title}\n`));
    assert.deepEqual(unseen, ['Check: missing files failed the step']);
    assert.match(log, /── Post Monitor .*\n\nPeak over \d+ samples: /);
  });

  test('fails where a step does not do what is expected of it', async () => {
    const { code, log } = await run('uploaded-count = 5', 'uploaded-count = 6');
    assert.equal(code, 1, log);
    assert.match(log, /error: outputs\.uploaded-count is 5 where outputs\.uploaded-count = 6 was expected/);
    assert.match(log, /── Failed: Check: the sync says what it did\n$/);
  });

  test('fails where an expression is not known, and leaves no sandbox running', async () => {
    const { code, log } = await run('toJSON(steps.sync)', 'toJSON(steps.sink)');
    assert.equal(code, 1, log);
    const [, url] = /listens at (http\S+)/.exec(log) ?? [];
    await assert.rejects(fetch(url ?? ''), /fetch failed/);
  });
});

/** Runs the job of ci.yml, with one text in it replaced where there is one. */
async function run(now = '', then = '') {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'e2e-'));
  const workflow = readFileSync(WORKFLOW, 'utf8');
  assert.ok(workflow.includes(now), `ci.yml does not hold ${now}`);
  const file = path.join(folder.path, 'ci.yml');
  writeFileSync(file, workflow.replace(now, then));
  const args = [path.join(PROJECT, 'e2e/main.ts'), ...(now === '' ? [] : [file])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [[code], log] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, log };
}
