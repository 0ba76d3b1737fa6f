import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { runJob } from '../../dev/runner/job.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';

const ACTION = `
inputs:
  name: { description: A name, default: nobody }
  code: { description: An exit code, default: "0" }
outputs: {}
runs: { using: node24, main: main.js, post: post.js }
`;
const MAIN = `
const { appendFileSync } = require('node:fs');
const { INPUT_NAME, INPUT_CODE, FOO, GITHUB_OUTPUT, GITHUB_STATE } = process.env;
console.log('main ' + INPUT_NAME + ' ' + FOO);
appendFileSync(GITHUB_OUTPUT, 'greeting<<E\\nhello\\n' + INPUT_NAME + '\\nE\\n');
appendFileSync(GITHUB_STATE, 'name=' + INPUT_NAME + '\\n');
process.exitCode = Number(INPUT_CODE);
`;
const POST = `console.log('post ' + process.env.STATE_name);`;

/** Runs steps; returns their log and results. */
async function run(t: TestContext, steps: string) {
  const workspace = mkdtempSync(path.join(tmpdir(), 'job-'));
  t.after(() => rmSync(workspace, { recursive: true }));
  mkdirSync(path.join(workspace, 'greet'));
  const indented = steps.trim().replaceAll('\n', '\n      ');
  const files = {
    'greet/action.yml': ACTION,
    'greet/main.js': MAIN,
    'greet/post.js': POST,
    'ci.yml': `jobs:\n  a:\n    steps:\n      ${indented}\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(workspace, name), text);
  const log: string[] = [];
  const [job] = await readWorkflow(path.join(workspace, 'ci.yml'));
  const results = await runJob(job?.steps ?? [], {
    workspace,
    temp: workspace,
    log: line => log.push(line),
  });
  return {
    log,
    ends: results.map(({ phase, outcome, conclusion }) => `${phase} ${outcome} ${conclusion}`),
  };
}

suite('a job', { concurrency: 2, skip: WITHOUT_BASH }, () => {
  test('hands outputs and variables on, and ends with the post steps in reverse', async t => {
    const { log, ends } = await run(
      t,
      `
- name: Set
  run: |
    echo "FOO=of $BAR" >> "$GITHUB_ENV"
    echo "name=Ann" >> "$GITHUB_OUTPUT"
  id: set
  env: { BAR: 'bar' }
- uses: ./greet
  id: greet
  with: { name: '\${{ steps.set.outputs.name }}' }
- uses: ./greet
- run: 'echo "$TEXT $FOO"; echo oops >&2'
  env: { TEXT: '\${{ steps.greet.outputs.greeting }}' }`,
    );
    assert.deepEqual(log, [
      '── Set',
      '── ./greet',
      'main Ann of bar',
      '── ./greet',
      'main nobody of bar',
      '── echo "$TEXT $FOO"; echo oops >&2',
      'hello',
      'Ann of bar',
      'oops',
      '── Post ./greet',
      'post nobody',
      '── Post ./greet',
      'post Ann',
    ]);
    assert.deepEqual(new Set(ends), new Set(['main success success', 'post success success']));
  });

  test('skips what comes after a failed step, but for what asks to run, and runs the post steps', async t => {
    const { log, ends } = await run(
      t,
      `
- uses: ./greet
  with: { code: 3 }
- run: echo never
- run: echo always
  if: always()
- run: echo on failure
  if: failure()`,
    );
    assert.deepEqual(
      log.filter(line => !line.startsWith('──')),
      ['main nobody undefined', 'always', 'on failure', 'post nobody'],
    );
    assert.deepEqual(ends, [
      'main failure failure',
      'main skipped skipped',
      'main success success',
      'main success success',
      'post success success',
    ]);
  });

  test('goes on after a step that may fail', async t => {
    const { log, ends } = await run(
      t,
      `
- id: may
  continue-on-error: true
  run: exit 7
- run: printf 'on\\r\\ntwo lines\\r\\n'
  if: steps.may.outcome == 'failure'`,
    );
    assert.deepEqual(log.slice(2), ['on', 'two lines']);
    assert.deepEqual(ends, ['main failure success', 'main success success']);
  });

  const errors: Readonly<Record<string, readonly [steps: string, message: RegExp]>> = {
    'an action of another repository': [
      '- uses: actions/cache@v4',
      /::error::.*is no action of this repository/,
    ],
    'an input that the action does not have': [
      '- uses: ./greet\n  with: { nam: x }',
      /::error::.*has no input nam/,
    ],
    'an unknown expression': ['- run: echo ${{ githup.sha }}', /::error::.*githup/],
  };
  for (const [name, [steps, message]] of Object.entries(errors)) {
    test(`${name} fails the step`, async t => {
      const { log, ends } = await run(t, steps);
      assert.match(log.join('\n'), message);
      assert.equal(ends[0], 'main failure failure');
    });
  }
});
