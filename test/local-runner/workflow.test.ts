import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { runWorkflow } from '../../dev/runner/workflow.ts';
import { readWorkflow } from '../../dev/runner/workflow-file.ts';
import { WITHOUT_BASH } from '../system.ts';

/** Runs jobs; returns their log and the results of their copies. */
async function run(t: TestContext, jobs: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'workflow-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'ci.yml');
  writeFileSync(file, `on: push\njobs:\n  ${jobs.trim().replaceAll('\n', '\n  ')}\n`);
  const log: string[] = [];
  const results = await runWorkflow(await readWorkflow(file), {
    openMachine: () => ({
      workspace: folder,
      temp: folder,
      machine: { PLACE: 'machine', FROM: 'machine' },
      findAction: uses => async inputs => void log.push(`${uses} ${JSON.stringify(inputs)}`),
      log: line => line.startsWith('──') || log.push(line),
    }),
    contexts: { secrets: { TOKEN: 't' }, github: { run_id: '7' } },
  });
  const ends = results.map(
    ({ job, matrix, succeeded }) => `${job} ${JSON.stringify(matrix)} ${succeeded}`,
  );
  return { log: log.sort(), ends };
}

suite('a workflow', { concurrency: 2, skip: WITHOUT_BASH }, () => {
  test('runs a copy of a job for each combination of its matrix', async t => {
    const { log, ends } = await run(
      t,
      `
a:
  strategy:
    fail-fast: false
    matrix: { x: [1, 2], y: [b] }
  steps:
    - run: echo "$X of $TOTAL is \${{ matrix.x }}\${{ matrix.y }}"
      env: { X: '\${{ strategy.job-index }}', TOTAL: '\${{ strategy.job-total }}' }`,
    );
    assert.deepEqual(log, ['0 of 2 is 1b', '1 of 2 is 2b']);
    assert.deepEqual(ends, ['a {"x":1,"y":"b"} true', 'a {"x":2,"y":"b"} true']);
  });

  test('hands variables of the machine, the job and the step on, the nearest first', async t => {
    const { log } = await run(
      t,
      `
a:
  env: { PLACE: job, TOKEN: '\${{ secrets.TOKEN }}' }
  steps:
    - run: echo "$PLACE $FROM $TOKEN"
    - run: echo "$PLACE"
      env: { PLACE: step }`,
    );
    assert.deepEqual(log, ['job machine t', 'step']);
  });

  test('lets the actions of others be played', async t => {
    const { log } = await run(
      t,
      `
a:
  steps:
    - uses: actions/checkout@v7
    - uses: some/cache@v1
      with: { key: 'of-\${{ github.run_id }}' }`,
    );
    assert.deepEqual(log, ['actions/checkout@v7 {}', 'some/cache@v1 {"key":"of-7"}']);
  });

  test('leaves out a job where one that it needs failed or was left out itself', async t => {
    const { log, ends } = await run(
      t,
      `
a:
  steps: [{ run: exit 1 }]
b:
  steps: [{ run: echo b }]
c:
  needs: [a, b]
  steps: [{ run: echo c }]
d:
  needs: c
  steps: [{ run: echo d }]
e:
  needs: b
  steps: [{ run: echo e }]`,
    );
    assert.deepEqual(log, ['b', 'e']);
    assert.deepEqual(ends, ['a {} false', 'b {} true', 'e {} true']);
  });

  test('hands the outputs of jobs on, but for those that hold what is masked', async t => {
    const { log } = await run(
      t,
      `
a:
  outputs: { id: 'box-\${{ steps.x.outputs.id }}', token: '\${{ steps.x.outputs.token }}', key: '\${{ secrets.TOKEN }}' }
  steps:
    - id: x
      run: echo "::add-mask::s3"; printf 'id=7\\ntoken=s3\\n' >> "$GITHUB_OUTPUT"
b:
  needs: a
  steps:
    - run: echo "$ID,$TOKEN,$KEY"
      env: { ID: '\${{ needs.a.outputs.id }}', TOKEN: '\${{ needs.a.outputs.token }}', KEY: '\${{ needs.a.outputs.key }}' }`,
    );
    assert.deepEqual(log, ['::add-mask::s3', 'box-7,,']);
  });

  test('runs the steps of a parallel at once, and the next when both have ended', async t => {
    const { log, ends } = await run(
      t,
      `
a:
  steps:
    - parallel:
        - { id: one, run: 'mkfifo pipe && cat pipe >> "$GITHUB_OUTPUT"' }
        - { run: 'until [ -p pipe ]; do :; done; echo of=two > pipe; exit 1' }
    - run: echo "after $OF"
      if: always()
      env: { OF: '\${{ steps.one.outputs.of }}' }
    - run: echo never`,
    );
    assert.deepEqual([log, ends], [['after two'], ['a {} false']]);
  });
});
