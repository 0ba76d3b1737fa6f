import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../dev/agent/faults.ts';
import { telling } from '../telling.ts';
import { manyFiles, openFaulty, openWorld, runBadly, uploads } from './harness.ts';

const NOT_FOUND = '{"sandboxId":"s1","message":"The sandbox was not found","code":502}';

/** Failures that end the transfer, with part of their advice. */
const FINAL: Readonly<Record<string, readonly [Omit<StatusFault, 'kind'>, RegExp]>> = {
  '401': [{ status: 401, body: 'no such token' }, /Check token/],
  '403': [{ status: 403 }, /may use this sandbox/],
  '507': [
    { status: 507, body: '{"code":507,"message":"not enough disk space available"}' },
    /disk is full/,
  ],
  '502 for a sandbox that is gone': [{ status: 502, body: NOT_FOUND }, /Check sandbox-id/],
  '502 in plain text for one': [{ status: 502, body: 'sandbox not found: s1' }, /Check sandbox-id/],
  '404 for one': [{ status: 404, body: '{"message":"Sandbox s1 not found"}' }, /Check sandbox-id/],
};

type StatusFault = Extract<FaultAction, { kind: 'status' }>;

suite('a failure', { concurrency: 2 }, () => {
  for (const [what, [answer, advice]] of telling(FINAL, [
    '401',
    '507',
    '502 for a sandbox that is gone',
  ])) {
    test(`with ${what} ends the whole transfer at once`, async () => {
      await using world = await openFaulty(
        { kind: 'status', ...answer },
        {},
        { files: manyFiles(30) },
      );
      const result = await runBadly(world, { concurrency: '1' });
      assert.equal(uploads(world).length, 1);
      const { failed, notAttempted, uploaded, planned } = result.report.totals;
      assert.deepEqual([planned, failed, notAttempted, uploaded], [30, 1, 29, 0]);
      assert.equal(result.outputs['failed-count'], '1');
      const [error = ''] = result.annotations('error');
      assert.match(error, new RegExp(`^POST http://\\S+/files answered ${answer.status} `));
      assert.match(error, advice);
    });
  }

  test('that ends the transfer keeps what had arrived before', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 507 },
      { skip: 3 },
      { files: manyFiles(20) },
    );
    const { report, outputs } = await runBadly(world, { concurrency: '1' });
    const { uploaded, failed, notAttempted } = report.totals;
    assert.deepEqual([uploaded, failed, notAttempted], [3, 1, 16]);
    assert.equal(JSON.parse(outputs['uploaded'] ?? '').length, 3);
  });

  const WORDS: Readonly<
    Record<string, readonly [status: number, says: string, hint: RegExp, said?: RegExp]>
  > = {
    'a target that is a directory': [
      400,
      '{"message":"a.txt is a directory"}',
      /end the target with \//,
    ],
    'a routing header that is missing': [
      400,
      'missing routing header',
      /header-prefix, sandbox-id and port/,
    ],
    'a place that is not writable': [
      500,
      '{"message":"open /x: permission denied"}',
      /username.*another target/,
    ],
    'a page': [
      400,
      '<!doctype html><!-- v1 --><p>a &lt;b&gt;&nbsp;c</p>',
      /service is compatible/,
      /said: "a <b> c"/,
    ],
    'a page in JSON': [
      400,
      '{"message":"<html><b>no</b></html>"}',
      /service is compatible/,
      /said: "no"/,
    ],
  };
  for (const [what, [status, body, hint, said = /./]] of telling(WORDS, Object.keys(WORDS))) {
    test(`for ${what} says what to do`, async () => {
      await using world = await openFaulty({ kind: 'status', status, body });
      const result = await runBadly(world, { retries: '0' });
      const { error } = result.file('a.txt');
      assert.match(error?.hint ?? '', hint);
      assert.match(error?.message ?? '', said);
    });
  }

  test('of every attempt on the way is not repeated for the stats', async () => {
    const faults = [
      { on: 'upload', do: { kind: 'reset', at: 'before-body' } },
      { on: 'stats', do: { kind: 'reset', at: 'before-body' } },
    ] as const;
    await using world = await openWorld({ faults });
    await runBadly(world, { retries: '1' });
    assert.deepEqual(
      world.agent.requests.map(({ method }) => method),
      ['POST', 'POST', 'GET'],
    );
  });

  test('of a full disk tells how full it is', async () => {
    await using world = await openFaulty({ kind: 'status', status: 507 });
    const result = await runBadly(world);
    assert.match(result.annotations('error').join(), /1\.1 GiB of 10 GiB/);
    assert.match(result.file('a.txt').error?.hint ?? '', /1\.1 GiB of 10 GiB/);
    assert.match(result.summary, /1\.1 GiB of 10 GiB/);
  });

  test('of a wrong token, or of another sandbox, is told by the service itself', async () => {
    await using world = await openWorld();
    const wrong = await runBadly(world, { token: 'another-token' });
    assert.match(
      wrong.file('a.txt').error?.message ?? '',
      /answered 401 .*token present in header but does not match/,
    );
    const gone = await runBadly(world, { 'sandbox-id': 'other' });
    assert.match(gone.file('a.txt').error?.message ?? '', /answered 502 .*sandbox was not found/);
    assert.equal(uploads(world).length, 2);
  });

  for (const status of [401, 403]) {
    test(`with ${status} has no stats asked for`, async () => {
      await using world = await openFaulty(
        { kind: 'status', status },
        { skip: 2 },
        { files: manyFiles(6) },
      );
      const result = await runBadly(world, { concurrency: '1' });
      assert.equal(world.agent.requests.length, 3);
      assert.deepEqual([result.outputs['uploaded-count'], result.outputs['cpu-count']], ['2', '']);
    });
  }

  test('of a route that is not there is no sandbox that is gone', async () => {
    const body = '{"message":"sandbox agent: route not found"}';
    const missing = { kind: 'status', status: 404, body } as const;
    await using world = await openFaulty(missing, { path: 'f0.txt' }, { files: manyFiles(3) });
    const result = await runBadly(world, { concurrency: '1' });
    assert.deepEqual(
      [result.outputs['uploaded-count'], result.outputs['failed-count']],
      ['2', '1'],
    );
  });

  test('to reach the host is tried again', async () => {
    await using world = await openWorld();
    await world.agent.close();
    const result = await runBadly(world, { retries: '1' }, { task: 'upload' });
    assert.equal(result.file('a.txt').attempts, 2);
  });

  test('of a host that cannot be reached says so and ends the transfer', async () => {
    await using world = await openWorld({ files: manyFiles(20) });
    await world.agent.close();
    const result = await runBadly(world, { concurrency: '1', retries: '0' });
    const { failed, notAttempted } = result.report.totals;
    assert.deepEqual([failed, notAttempted], [1, 19]);
    const [error = ''] = result.annotations('error');
    assert.match(error, /ECONNREFUSED/);
    assert.match(error, /Check base-url/);
  });

  test('of hundreds of files is ten annotations at most, each file in the report', async () => {
    const names = Object.keys(manyFiles(300));
    await using world = await openWorld({
      files: manyFiles(300),
      faults: names.map((name, index) => ({
        on: 'upload',
        path: name,
        do: { kind: 'status', status: 411 + (index % 14), body: `no ${index}` },
      })),
    });
    const result = await runBadly(world, { retries: '0' });
    const errors = result.annotations('error');
    assert.ok(errors.length > 1 && errors.length <= 10, `${errors.length} annotations`);
    assert.match(errors.at(-1) ?? '', /Uploaded 0 of 300 files; 300 failed/);
    assert.equal(
      result.report.files.filter(file => file.error?.message.includes('It said')).length,
      300,
    );
  });

  test('message of the agent is cut to 300 characters', async () => {
    const body = JSON.stringify({ message: 'y'.repeat(1000) });
    await using world = await openFaulty({ kind: 'status', status: 400, body });
    const { everything } = await runBadly(world);
    assert.match(everything, /y{300}/);
    assert.doesNotMatch(everything, /y{301}/);
  });
});
