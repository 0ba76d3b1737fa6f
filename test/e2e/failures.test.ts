import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyError, statusFault } from '../support/faults.ts';
import { expectFailure, requestMethods } from '../support/run-action.ts';
import { manyFiles, openJob } from '../support/test-job.ts';

test('a full disk (507) ends the transfer, and the stats are still read', async () => {
  const full = statusFault(507, proxyError('not enough disk space available', 507));
  const faults = [{ on: 'upload', skip: 2, do: full }] as const;
  await using job = await openJob({ files: manyFiles(9), faults });
  const { report, errors } = await expectFailure(job, { concurrency: '1' });
  assert.equal(requestMethods(job), 'POST POST POST GET');
  const { uploaded, failed, notAttempted } = report.upload.totals;
  assert.deepEqual([uploaded, failed, notAttempted], [2, 1, 6]);
  const { error } = report.upload.files[2] ?? {};
  assert.equal(error?.kind, 'disk-full');
  assert.match(error?.hint ?? '', /disk is full/);
  assert.match(errors, /POST http:\/\/\S+\/files answered 507/);
});

test('hundreds of failed files make at most ten annotations, and long responses are cut', async () => {
  const files = manyFiles(300);
  const faults = Object.keys(files).map((name, index) => {
    const fault = statusFault(411 + (index % 14), `${index} ${'y'.repeat(1000)}`);
    return { on: 'upload', path: name, do: fault } as const;
  });
  await using job = await openJob({ files, faults });
  const result = await expectFailure(job, { retries: '0' });
  const errors = result.annotations('error');
  assert.ok(errors.length > 1 && errors.length <= 10, `${errors.length} annotations`);
  assert.match(errors.at(-1) ?? '', /0 of 300 files.* 300 failed/);
  assert.match(result.file('f7.txt').error?.message ?? '', /"7 y{200}/);
  assert.doesNotMatch(result.allOutput, /y{301}/);
});
