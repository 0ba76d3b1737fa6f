import assert from 'node:assert/strict';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fillIn, holds } from '../../dev/runner/expressions.ts';
import { parseKeyValueFile } from '../../dev/runner/file-commands.ts';
import { runJob } from '../../dev/runner/job.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';

test('reads lines and blocks, whose values may look like either', () => {
  const text = 'a=1\nb=x=y<<z\nc<<E\nd=2\n\nEE\nE\nempty=\nnone<<E\nE\n';
  const values = { a: '1', b: 'x=y<<z', c: 'd=2\n\nEE', empty: '', none: '' };
  for (const isWindows of [false, true])
    assert.deepEqual(parseKeyValueFile(text, isWindows), values);
  const onWindows = parseKeyValueFile('a<<E\r\none\ntwo\r\n\r\r\nE\r\nb=3\r\n', true);
  assert.deepEqual(onWindows, { a: 'one\ntwo\r\n\r', b: '3' });
  for (const broken of ['a<<E\n1\n', 'neither\n', '=1\n'])
    assert.throws(() => parseKeyValueFile(broken), /No value can be read from line 1/);
});

const outputs = { id: 'box', empty: '' };
const CONTEXTS = { runner: {}, steps: { 'a-1': { outputs, outcome: 'failure' } } };

test('fills expressions in', () => {
  assert.equal(fillIn("a ${{steps.a-1.outputs['id']}} {}", CONTEXTS), 'a box {}');
  assert.equal(fillIn("${{ '}}' }}${{ steps.none.outputs.id }}'", CONTEXTS), "}}'");
  for (const text of ['${{ secrets.TOKEN }}', "${{ hashFiles('x') }}", '${{ 1 = 1 }}'])
    assert.throws(() => fillIn(text, CONTEXTS), text);
});

const CONDITIONS: readonly (readonly [string, afterSuccess: boolean, afterFailure: boolean])[] = [
  ['success()', true, false],
  ['failure() || cancelled()', false, true],
  ['${{ always() }}', true, true],
  ["'always()'", true, false],
  ["always() && steps.a-1.outputs.none != ''", false, false],
  ["steps.a-1.outcome == 'failure'", true, false],
];
for (const [condition, afterSuccess, afterFailure] of CONDITIONS) {
  test(`if: ${condition}`, () => {
    assert.equal(holds(condition, CONTEXTS, false), afterSuccess);
    assert.equal(holds(condition, CONTEXTS, true), afterFailure);
  });
}

const WORKFLOW = `
jobs:
  a:
    outputs: { said: '\${{ steps.set.outputs.said }}' }
    steps:
      - { id: set, run: 'echo "said=$BAR" >> "$GITHUB_OUTPUT"; echo FOO=foo >> "$GITHUB_ENV"', env: { BAR: bar } }
      - { id: may, continue-on-error: true, run: exit 7 }
      - { run: 'echo "$FOO \${{ steps.set.outputs.said }} \${{ steps.may.outcome }}"; exit 1' }
      - { run: echo never }
      - { run: echo still, if: always() }
      - { uses: actions/cache@v4, if: failure() }`;

test('runs the steps of a job in order', { skip: WITHOUT_BASH }, async () => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'job-'));
  const file = path.join(folder.path, 'ci.yml');
  writeFileSync(file, WORKFLOW);
  const log: string[] = [];
  const [job] = await readWorkflow(file);
  const places = { workspace: folder.path, temp: folder.path };
  const end = await runJob(job ?? assert.fail(), { ...places, log: line => log.push(line) });
  const own = log.filter(line => !line.startsWith('──'));
  assert.deepEqual(own.slice(0, 2), ['foo bar failure', 'still']);
  assert.match(own[2] ?? '', /::error::.*actions\/cache@v4 is no action of this repository/);
  assert.deepEqual(end.outputs, { said: 'bar' });
  const conclusions = end.results.map(({ conclusion }) => conclusion);
  const [ok, bad] = ['success', 'failure'];
  assert.deepEqual(conclusions, [ok, ok, bad, 'skipped', ok, bad]);
});
