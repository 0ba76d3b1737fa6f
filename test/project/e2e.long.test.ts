import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { startAgent } from '../../dev/agent/agent.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const WORKFLOW = path.join(PROJECT, '.github/workflows/ci.yml');

test('npm run demo shows the log, outputs and summary, and that every file arrived', async () => {
  const { code, log } = await start(['demo'], path.join(PROJECT, 'dev/start.js'));
  assert.equal(code, 0, log);
  assert.match(log, /Uploading \d+ files/);
  assert.match(log, /^uploaded-count: \d+$/m);
  assert.match(log, /job summary, as text\n\n✅ Sandbox Sync/);
  assert.doesNotMatch(log, /&#?\w+;/);
  assert.match(log, /── Every file arrived byte for byte\.\n/);
});

suite('npm run e2e', { concurrency: 2, skip: WITHOUT_BASH }, () => {
  test('passes with the steps of ci.yml, every one of them run', async () => {
    const { code, log } = await run();
    assert.equal(code, 0, log);
    assert.match(log, /── All went as expected\.\n$/);
    const job = (await readWorkflow(WORKFLOW)).find(({ name }) => name === 'self-run');
    const names = job?.steps.flat().map(({ title }) => title) ?? [];
    const titles = names.slice(names.indexOf('Start a sandbox'));
    const unseen = titles.filter(title => !log.includes(`── ${title}\n`));
    assert.deepEqual(unseen, ['Check: missing files failed the step']);
    assert.match(log, /── Post Monitor .*\nPeak over \d+ samples: /);
  });

  test('runs the same steps against an agent that is running already', async () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'e2e-'));
    const access = { token: 'the-token', sandboxId: 'self-run', headerPrefix: 'E2b' };
    await using agent = await startAgent({ root: folder.path, ...access });
    const args = ['--base-url', agent.url, '--token', 'the-token', '--header-prefix', 'E2b'];
    const { code, log } = await start(args);
    assert.equal(code, 0, log);
    assert.ok(agent.requests.length > 10, log);
  });

  test('fails where a step does not do what is expected of it', async () => {
    const { code, log } = await run('uploaded-count = 5', 'uploaded-count = 6');
    assert.equal(code, 1, log);
    assert.match(
      log,
      /error: outputs\.uploaded-count is 5 where outputs\.uploaded-count = 6 was expected/,
    );
    assert.match(log, /── Failed: Check: the sync says what it did\n$/);
  });

  test('fails where an expression is not known, and leaves no sandbox running', async () => {
    const { code, log } = await run('toJSON(steps.sync)', 'toJSON(stops.sync)');
    assert.equal(code, 1, log);
    const [, url] = /listens at (http\S+)/.exec(log) ?? [];
    await assert.rejects(fetch(url ?? ''), /fetch failed/);
  });
});

/** Runs the job of ci.yml, with one text replaced if given. */
async function run(now = '', then = '') {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'e2e-'));
  const workflow = readFileSync(WORKFLOW, 'utf8');
  assert.ok(workflow.includes(now), `ci.yml does not hold ${now}`);
  const file = path.join(folder.path, 'ci.yml');
  writeFileSync(file, workflow.replace(now, then));
  return await start(['--workflow', file]);
}

async function start(args: readonly string[], main = path.join(PROJECT, 'dev/e2e/main.ts')) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [[code], log] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, log };
}
