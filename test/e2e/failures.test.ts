import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FaultAction } from '../../dev/agent/faults.ts';
import {
  goodBetween,
  manyFiles,
  methods,
  NOBODY,
  openEachFaulty,
  openFaulty,
  openWorld,
  runBadly,
  runWell,
  says,
  status,
  uploads,
} from './harness.ts';

/** Failures by file that affect neither other attempts nor other files. */
const ALONE: Readonly<
  Record<string, readonly [FaultAction, kind: string, message: RegExp, hint: RegExp]>
> = {
  's-400': [status(400, '{"message":"path is a directory"}'), 'rejected', /"path is a dir/, /./],
  's-404': [status(404), 'not-found', /answered 404 Not Found/, /upload-path/],
  's-413': [status(413, '<h1>413 Too Large</h1>'), 'too-large', /answered 413/, /size/],
};

/** Failures after which nothing else is tried. */
const FATAL: Readonly<Record<string, readonly [number, string, kind: string, hint: RegExp]>> = {
  'a wrong token': [401, 'no such token', 'unauthorized', /token/],
  'a full disk': [507, says('not enough disk space available', 507), 'disk-full', /disk is full/],
  'a lost sandbox': [502, says('The sandbox was not found'), 'sandbox-not-found', /sandbox-id/],
};

describe('a failure', () => {
  test('of one file is told with message and advice, and the others arrive', async () => {
    const faults = Object.entries(ALONE).map(([name, [fault]]) => [name, fault] as const);
    const between = goodBetween(Object.keys(ALONE));
    await using world = await openEachFaulty(Object.fromEntries(faults), between);
    const { file, outputs } = await runBadly(world, { concurrency: '1', retries: '0' });
    for (const [name, [, kind, message, hint]] of Object.entries(ALONE)) {
      const { status: ending, error, attempts } = file(name);
      assert.deepEqual([ending, error?.kind, attempts], ['failed', kind, 1], name);
      assert.match(error?.message ?? '', RegExp(`POST http:\\S+/files .*${message.source}`));
      assert.match(error?.hint ?? '', hint);
    }
    assert.deepEqual([outputs['uploaded-count'], outputs['failed-count']], ['3', '3']);
  });

  test('that may pass is tried again and logged, but not before Retry-After', async () => {
    const busy = status(429, '{"message":"not now"}', { headers: { 'Retry-After': '1' } });
    await using world = await openFaulty(busy, { times: 1 });
    const arrivals: number[] = [];
    const onRequest = () => void arrivals.push(performance.now());
    const { stdout } = await runWell(world, {}, { task: 'upload', onRequest });
    assert.match(stdout, /^Attempt 1 for a\.txt failed, .*POST .*\/files answered 429.*not now/m);
    const [first = 0, second = 0, ...others] = arrivals;
    assert.ok(second - first >= 1000, `${second - first} ms`);
    assert.deepEqual(others, []);
  });

  test('to go on is tried again after timeout, as often as retries says', async () => {
    const stalls: Readonly<Record<string, FaultAction>> = {
      reading: { kind: 'stall', at: 'reading' },
      answering: { kind: 'stall', at: 'answering' },
    };
    await using world = await openEachFaulty(stalls);
    const result = await runBadly(world, { timeout: '300ms', retries: '1' }, { task: 'upload' });
    for (const name of Object.keys(stalls)) {
      assert.deepEqual([result.file(name).status, result.file(name).attempts], ['failed', 2]);
      assert.match(result.file(name).error?.message ?? '', /timeout/i);
    }
  });

  for (const [what, [code, body, kind, hint]] of Object.entries(FATAL))
    test(`by ${what} (${code}) ends the transfer and keeps what arrived`, async () => {
      await using world = await openFaulty(
        status(code, body),
        { skip: 2 },
        { files: manyFiles(9) },
      );
      const result = await runBadly(world, { concurrency: '1' });
      assert.equal(uploads(world).length, 3);
      const { uploaded, failed, notAttempted } = result.report.totals;
      assert.deepEqual([uploaded, failed, notAttempted], [2, 1, 6]);
      const { error } = result.report.files[2] ?? {};
      assert.equal(error?.kind, kind);
      assert.match(error?.hint ?? '', hint);
      assert.match(result.errors, RegExp(`POST http://\\S+/files answered ${code}`));
      // Only a full disk leaves the stats readable.
      assert.equal(methods(world).includes('GET'), code === 507);
    });

  test('to reach the host is tried again, and then says what to check', async () => {
    await using world = await openWorld({ files: manyFiles(20) });
    const inputs = { 'base-url': NOBODY, concurrency: '1', retries: '1' };
    const { errors, report } = await runBadly(world, inputs);
    assert.match(errors, /ECONNREFUSED|refused/);
    assert.match(errors, /base-url/);
    const [first] = report.files;
    assert.deepEqual([first?.attempts, first?.error?.kind], [2, 'unreachable']);
    assert.ok((report.totals['failed'] ?? 0) <= 3);
    assert.equal(report.files.at(-1)?.status, 'not-attempted');
  });

  test('of hundreds of files is ten annotations at most, with the words of the agent cut', async () => {
    const faults = Object.keys(manyFiles(300)).map(
      (name, index) => [name, status(411 + (index % 14), `${index} ${'y'.repeat(1000)}`)] as const,
    );
    await using world = await openEachFaulty(Object.fromEntries(faults));
    const result = await runBadly(world, { retries: '0' });
    const errors = result.annotations('error');
    assert.ok(errors.length > 1 && errors.length <= 10, `${errors.length} annotations`);
    assert.match(errors.at(-1) ?? '', /0 of 300 files.* 300 failed/);
    assert.match(result.file('f7.txt').error?.message ?? '', /"7 y{200}/);
    assert.doesNotMatch(result.everything, /y{301}/);
  });
});
