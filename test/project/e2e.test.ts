import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, suite, type TestContext, test } from 'node:test';
import { readJobSteps } from '../../local-runner/job-file.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const WORKFLOW = path.join(PROJECT, '.github/workflows/ci.yml');
const skip = process.platform === 'win32' && 'the bash found there may be that of WSL';

suite('npm run e2e', { concurrency: 2, skip }, () => {
  test('passes with the steps of ci.yml, every one of them run', async () => {
    const { code, log } = await run({});
    assert.equal(code, 0, log);
    assert.match(log, /── All went as expected\.\n$/);
    const steps = await readJobSteps(WORKFLOW, 'self-run', 'npm ci');
    const unseen = steps.map(({ title }) => title).filter(title => !log.includes(`── ${title}\n`));
    assert.deepEqual(unseen, ['Check: missing files failed the step']);
    assert.match(log, /── Post Monitor .*\n\nAt most in \d+ samples: /);
  });

  test('fails where a step does not do what is expected of it', async t => {
    const { code, log } = await run({ args: [workflowWith(t, 'uploaded-count = 5', 'uploaded-count = 6')] });
    assert.equal(code, 1, log);
    assert.match(log, /error: outputs\.uploaded-count is 5 where outputs\.uploaded-count = 6 was expected/);
    assert.match(log, /── Failed: Check: the sync says what it did\n$/);
  });

  test('fails where an expression is not known, and leaves no sandbox running', async t => {
    const { code, log } = await run({ args: [workflowWith(t, 'toJSON(steps.sync)', 'toJSON(steps.sink)')] });
    assert.equal(code, 1, log);
    const [, url] = /listens at (http\S+)/.exec(log) ?? [];
    await assert.rejects(fetch(url ?? ''), /fetch failed/);
  });
});

describe('a check of a step', { concurrency: 2 }, () => {
  const step = { outcome: 'success', outputs: { count: '12', gate: 'passed', list: '[\n1\n]', none: '' } };
  const cases: Readonly<Record<string, string>> = {
    'outcome = success': '',
    'outputs.count ~ \\d+': '',
    'outputs.list ~ .*1.*': '',
    'outputs.none = ': '',
    'outputs.count = 1': 'outputs.count is 12 where outputs.count = 1 was expected',
    'outputs.count ~ \\d': 'outputs.count is 12 where outputs.count ~ \\d was expected',
    'outputs.counts = 12': 'There is no outputs.counts',
    'outputs = 12': 'There is no outputs',
    'outputs.count: 12': 'EXPECTED has a line of no meaning: outputs.count: 12',
  };
  for (const [line, finding] of Object.entries(cases)) {
    test(line, async () => {
      const env = { STEP: JSON.stringify(step), EXPECTED: `outcome = success\n${line}\n` };
      await assertFinds('check-step.ts', env, finding);
    });
  }
});

describe('a check of files', { concurrency: 2 }, () => {
  const cases: Readonly<Record<string, string>> = {
    'a.txt = x/a.txt\nb/c.txt = x/b.txt': '',
    'a.txt = x/a.txt': 'b/c.txt is there and should not be',
    'a.txt = x/a.txt\nb/c.txt = x/b.txt\nd = x/a.txt': 'd is not there',
    'a.txt = x/b.txt\nb/c.txt = x/b.txt': 'a.txt is not what x/b.txt is',
  };
  for (const [expected, finding] of Object.entries(cases)) {
    test(finding || 'all as it should be', async t => {
      const folder = mkdtempSync(path.join(tmpdir(), 'e2e-'));
      t.after(() => rmSync(folder, { recursive: true }));
      for (const made of ['x', 'root/b']) mkdirSync(path.join(folder, made), { recursive: true });
      for (const name of ['x/a.txt', 'root/a.txt']) writeFileSync(path.join(folder, name), 'a');
      for (const name of ['x/b.txt', 'root/b/c.txt']) writeFileSync(path.join(folder, name), 'b');
      await assertFinds('check-files.ts', { FOLDER: 'root', EXPECTED: expected }, finding, folder);
    });
  }
});

/** Runs a check as a step would, and asserts what it finds: nothing where `finding` is empty. */
async function assertFinds(
  check: string,
  env: Readonly<Record<string, string>>,
  finding: string,
  cwd = PROJECT,
): Promise<void> {
  const { code, log } = await run({ script: check, env, cwd });
  assert.equal(code, finding === '' ? 0 : 1, log);
  assert.equal(/^::error::(.*)$/m.exec(log)?.[1] ?? '', finding);
}

interface Run {
  readonly script?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

async function run({ script = 'main.ts', args = [], env = {}, cwd = PROJECT }: Run) {
  const child = spawn(process.execPath, [path.join(PROJECT, 'e2e', script), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
    cwd,
  });
  const [[code], log] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, log };
}

/** A copy of ci.yml with one text, where it first stands, replaced. */
function workflowWith(t: TestContext, now: string, then: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'e2e-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const workflow = readFileSync(WORKFLOW, 'utf8');
  assert.ok(workflow.includes(now), `ci.yml does not hold ${now}`);
  const file = path.join(folder, 'ci.yml');
  writeFileSync(file, workflow.replace(now, then));
  return file;
}
