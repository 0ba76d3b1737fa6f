import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyError, statusFault } from './agent-answers.ts';
import type { FaultAction } from './faults.ts';
import { expectFailure, requestMethods, uploadRequests } from './run-action.ts';
import {
  goodFilesBetween,
  manyFiles,
  openJobWithFault,
  openJobWithFaultPerFile,
} from './test-job.ts';

/** Failures of one file, which is not retried and affects no other file. */
const ALONE: Readonly<
  Record<string, readonly [FaultAction, kind: string, message: RegExp, hint: RegExp]>
> = {
  's-400': [
    statusFault(400, '{"message":"path is a directory"}'),
    'rejected',
    /"path is a dir/,
    /another target/,
  ],
  's-404': [statusFault(404), 'not-found', /answered 404 Not Found/, /upload-path/],
  's-413': [statusFault(413, '<h1>413 Too Large</h1>'), 'too-large', /answered 413/, /size/],
};

/** Failures that end the transfer. */
const FATAL: Readonly<Record<string, readonly [number, string, kind: string, hint: RegExp]>> = {
  'a wrong token': [401, 'no such token', 'unauthorized', /token/],
  'a full disk': [
    507,
    proxyError('not enough disk space available', 507),
    'disk-full',
    /disk is full/,
  ],
  'a lost sandbox': [
    502,
    proxyError('The sandbox was not found'),
    'sandbox-not-found',
    /sandbox-id/,
  ],
};

test("a rejected file is reported with the agent's words and a hint, and the others arrive", async () => {
  const faults = Object.entries(ALONE).map(([name, [fault]]) => [name, fault] as const);
  const between = goodFilesBetween(Object.keys(ALONE));
  await using job = await openJobWithFaultPerFile(Object.fromEntries(faults), between);
  const { file, outputs } = await expectFailure(job, { concurrency: '1', retries: '0' });
  for (const [name, [, kind, message, hint]] of Object.entries(ALONE)) {
    const { status: ending, error, attempts } = file(name);
    assert.deepEqual([ending, error?.kind, attempts], ['failed', kind, 1], name);
    assert.match(error?.message ?? '', RegExp(`POST http:\\S+/files .*${message.source}`));
    assert.match(error?.hint ?? '', hint);
  }
  assert.deepEqual([outputs['uploaded-count'], outputs['failed-count']], ['3', '3']);
});

for (const [what, [code, body, kind, hint]] of Object.entries(FATAL))
  test(`${what} (${code}) ends the transfer, and the files that arrived stay uploaded`, async () => {
    await using job = await openJobWithFault(
      statusFault(code, body),
      { skip: 2 },
      { files: manyFiles(9) },
    );
    const result = await expectFailure(job, { concurrency: '1' });
    assert.equal(uploadRequests(job).length, 3);
    const { uploaded, failed, notAttempted } = result.report.totals;
    assert.deepEqual([uploaded, failed, notAttempted], [2, 1, 6]);
    const { error } = result.report.files[2] ?? {};
    assert.equal(error?.kind, kind);
    assert.match(error?.hint ?? '', hint);
    assert.match(result.errors, RegExp(`POST http://\\S+/files answered ${code}`));
    // Only a full disk leaves the stats readable.
    assert.equal(requestMethods(job).includes('GET'), code === 507);
  });

test('hundreds of failed files make at most ten annotations, and long answers are cut', async () => {
  const faults = Object.keys(manyFiles(300)).map(
    (name, index) =>
      [name, statusFault(411 + (index % 14), `${index} ${'y'.repeat(1000)}`)] as const,
  );
  await using job = await openJobWithFaultPerFile(Object.fromEntries(faults));
  const result = await expectFailure(job, { retries: '0' });
  const errors = result.annotations('error');
  assert.ok(errors.length > 1 && errors.length <= 10, `${errors.length} annotations`);
  assert.match(errors.at(-1) ?? '', /0 of 300 files.* 300 failed/);
  assert.match(result.file('f7.txt').error?.message ?? '', /"7 y{200}/);
  assert.doesNotMatch(result.allOutput, /y{301}/);
});
