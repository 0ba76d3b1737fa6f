import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openJobWithApi } from '../support/job-with-api.ts';
import type { Result } from '../support/result.ts';
import { expectFailure, expectSuccess } from '../support/run-action.ts';
import { SKIP_WITHOUT_BASH } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

// GitHub runs steps with `background: true` at the same time, in one workspace and RUNNER_TEMP.
describe('steps side by side', { concurrency: 3 }, () => {
  test('two sandbox steps side by side leave a sandbox each, and their post steps delete one each', async () => {
    await using job = await openJobWithApi();
    const { service, runSandbox, runAction: runIn } = job;
    const [one, two] = await Promise.all([
      runSandbox({ metadata: 'suite=api' }),
      runSandbox({ metadata: 'suite=browser' }),
    ]);
    const ids = [one, two].map(({ outputs }) => outputs['id'] ?? '');
    assert.deepEqual(ids.toSorted(), service.created.map(({ id }) => id).toSorted());
    for (const { outputs } of [one, two])
      assert.equal(outputs['token'], service.find(outputs['id'] ?? '')?.token);
    const stats = await Promise.all(ids.map(id => runIn('stats', { 'sandbox-id': id })));
    const reported = stats.map(({ report }) => report.sandbox.id);
    assert.deepEqual(reported, ids);

    await runSandbox({}, { post: one });
    assert.deepEqual(service.running(), [ids[1]]);
    await runSandbox({}, { post: two });
    assert.deepEqual(service.running(), []);
  });

  test('two runs and an upload side by side keep their outputs, summaries and reports apart', {
    skip: SKIP_WITHOUT_BASH,
  }, async () => {
    await using job = await openJob({ runCommands: true });
    // Each command waits until the other has started, so the two do run at the same time.
    const meet = (mine: string, theirs: string) =>
      `touch ${mine}; until [ -e ${theirs} ]; do sleep 0.05; done; echo "${mine} met ${theirs}"`;
    const passing = { name: 'Passing', run: meet('left', 'right') };
    const failing = { name: 'Failing', run: `${meet('right', 'left')}; exit 3` };
    const [left, right, upload] = await Promise.all([
      expectSuccess(job, passing, { task: 'run' }),
      expectFailure(job, failing, { task: 'run' }),
      expectSuccess(job, { files: 'a.txt', target: 'app' }, { task: 'upload' }),
    ]);
    assert.deepEqual([left, right].map(endOf), [
      ['0', 'Passing', ['left met right']],
      ['3', 'Failing', ['right met left']],
    ]);
    assert.match(right.summary, /right met left/);
    assert.doesNotMatch(right.summary, /left met right|a\.txt/);
    assert.doesNotMatch(left.stdout + left.summary, /right met left/);
    assert.doesNotMatch(right.stdout, /left met right/);
    assert.doesNotMatch(upload.stdout + upload.summary, /met/);
    assert.equal(upload.outputs['uploaded-count'], '1');
    assert.equal(String(job.readStored('app/a.txt')), 'text');
    const reports = [left, right, upload].map(({ outputs }) => outputs['report']);
    assert.equal(new Set(reports).size, 3);
  });
});

function endOf({ outputs, report }: Result) {
  return [outputs['exit-code'], report.name, report.command.lastLines];
}
