import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openJobWithApi } from '../support/job-with-api.ts';
import type { Result } from '../support/result.ts';
import { expectFailure, expectSuccess, runAction } from '../support/run-action.ts';
import { startMonitorIn } from '../support/running-monitor.ts';
import { filesBelow, SKIP_WITHOUT_BASH } from '../support/system.ts';
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
    const tokens = [one, two].map(({ outputs }) => outputs['token']);
    assert.deepEqual(
      tokens,
      ids.map(id => service.find(id)?.token),
    );

    const stats = await Promise.all(ids.map(id => runIn('stats', { 'sandbox-id': id })));
    assert.deepEqual(
      stats.map(({ report }) => report.sandbox.id),
      ids,
    );

    await runSandbox({}, { post: one });
    assert.deepEqual(service.running(), [ids[1]]);
    await runSandbox({}, { post: two });
    assert.deepEqual(service.running(), []);
  });

  test('two monitors side by side watch a sandbox each, and are judged by their own conditions', async () => {
    await using job = await openJob();
    const other = job.service.create('sandbox2', 'another-token-42');
    const otherSandbox = { 'sandbox-id': other.id, token: other.token };
    const strict = { name: 'strict', 'fail-if': 'mem_used_pct > 1' };
    const lax = { name: 'lax', 'fail-if': 'mem_used_pct > 99', ...otherSandbox };
    const monitors = await Promise.all([startMonitorIn(job, strict), startMonitorIn(job, lax)]);
    await using one = monitors[0];
    await using two = monitors[1];
    assert.notEqual(one.id, two.id);

    const stopped = await one.stop({ monitor: one.id });
    const post = await two.post();
    assert.deepEqual([stopped, post].map(verdictOf), [
      [1, 'strict', 'sandbox1', 'failed'],
      [0, 'lax', 'sandbox2', 'passed'],
    ]);
    for (const { requests } of [job.agent, other]) assert.equal(requests.length, 2);
    assert.match(stopped.summary, /strict/);
    assert.doesNotMatch(stopped.summary, /lax/);
    assert.doesNotMatch(post.summary, /strict/);
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
    assert.match(left.summary, /left met right/);
    assert.doesNotMatch(left.summary, /right met left|a\.txt/);
    assert.doesNotMatch(right.stdout, /left met right/);
    assert.doesNotMatch(upload.stdout + upload.summary, /met/);
    assert.equal(upload.outputs['uploaded-count'], '1');
    assert.equal(String(job.readStored('app/a.txt')), 'text');
    const reports = [left, right, upload].map(({ outputs }) => outputs['report']);
    assert.equal(new Set(reports).size, 3);
  });

  test('two uploads side by side, each with a state file of its own, send what is new to each', async () => {
    await using job = await openJob({ files: { 'a/1.txt': 'one', 'b/2.txt': 'two' } });
    const uploads = ['a', 'b'].map(files => ({
      files,
      target: files,
      'state-file': `.s/${files}`,
    }));
    const uploadBoth = () =>
      Promise.all(uploads.map(inputs => expectSuccess(job, inputs, { task: 'upload' })));
    assert.deepEqual((await uploadBoth()).map(countsOf), Array(2).fill(['1', '0']));
    job.write({ 'b/2.txt': 'new' });
    assert.deepEqual((await uploadBoth()).map(countsOf), [
      ['0', '1'],
      ['1', '0'],
    ]);
    assert.equal(String(job.readStored('b/2.txt')), 'new');
  });

  test('two downloads side by side leave their files and nothing else in the workspace', async () => {
    await using job = await openJob({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    await expectSuccess(job, { target: 'app' }, { task: 'upload' });
    const names = ['a.txt', 'b.txt'];
    const ends = await Promise.all(
      names.map(name => {
        const inputs = { files: `app/${name} => got/${name}` };
        return runAction(job, inputs, { task: 'download' });
      }),
    );
    const targets = ends.map(({ report }) => report.download.files.map(({ target }) => target));
    assert.deepEqual(targets, [['got/a.txt'], ['got/b.txt']]);
    const expected = [...names, 'got/a.txt', 'got/b.txt'];
    assert.deepEqual(Object.keys(filesBelow(job.workspace)).toSorted(), expected);
  });
});

function verdictOf({ exitCode, report, outputs }: Result) {
  return [exitCode, report.name, report.sandbox.id, outputs['gate']];
}

function endOf({ outputs, report }: Result) {
  return [outputs['exit-code'], report.name, report.command.lastLines];
}

function countsOf({ outputs }: Result) {
  return [outputs['uploaded-count'], outputs['unchanged-count']];
}
