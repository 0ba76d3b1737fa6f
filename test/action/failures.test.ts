import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../local-agent/faults.ts';
import { manyFiles, openFaulty, openWorld, pathOf, runBadly, uploads } from './harness.ts';

const NOT_FOUND = '{"sandboxId":"s1","message":"The sandbox was not found","code":502}';

/** What no other request can survive, and a part of the advice on it. */
const FINAL: Readonly<Record<string, readonly [Omit<StatusFault, 'kind'>, RegExp]>> = {
  '401': [{ status: 401, body: 'no such token' }, /Check that token/],
  '403': [{ status: 403 }, /may use this sandbox/],
  '507': [{ status: 507, body: '{"code":507,"message":"not enough disk space available"}' }, /disk is full/],
  '502 for a sandbox that is gone': [{ status: 502, body: NOT_FOUND }, /Check sandbox-id/],
  '502 in plain text for one': [{ status: 502, body: 'sandbox not found: s1' }, /Check sandbox-id/],
  '404 for one': [{ status: 404, body: '{"message":"Sandbox s1 not found"}' }, /Check sandbox-id/],
};

type StatusFault = Extract<FaultAction, { kind: 'status' }>;

suite('a failure', { concurrency: 2 }, () => {
  for (const [what, [answer, advice]] of Object.entries(FINAL)) {
    test(`with ${what} ends the whole transfer at once`, async () => {
      await using world = await openFaulty({ kind: 'status', ...answer }, {}, { files: manyFiles(30) });
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
    assert.match(wrong.file('a.txt').error?.message ?? '', /answered 401 .*token is missing or wrong/);
    const gone = await runBadly(world, { 'sandbox-id': 'other' });
    assert.match(gone.file('a.txt').error?.message ?? '', /answered 502 .*sandbox was not found/);
    assert.equal(uploads(world).length, 2);
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
        do: { kind: 'status', status: 405 + (index % 20), body: `no ${index}` },
      })),
    });
    const result = await runBadly(world, { retries: '0' });
    const errors = result.annotations('error');
    assert.ok(errors.length > 1 && errors.length <= 10, `${errors.length} annotations`);
    assert.match(errors.at(-1) ?? '', /0 of 300 files arrived, 300 failed/);
    assert.equal(
      result.report.files.filter(file => file.error?.message.includes('The agent said')).length,
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

/** Something done to a file once it is planned; `outside` is a file that must not be read. */
const REPLACEMENTS: Readonly<Record<string, (file: string, outside: string) => void>> = {
  'was removed': () => {},
  'became a directory': file => mkdirSync(file),
  'became a link to a file elsewhere': (file, outside) => symlinkSync(outside, file),
  'became a pipe': file => void spawnSync('mkfifo', [file]),
};

suite('a planned file that', { concurrency: 2 }, () => {
  for (const [what, replace] of Object.entries(REPLACEMENTS)) {
    test(`${what} fails alone`, async () => {
      await using world = await openWorld({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
      const secret = path.join(world.outside, 'secret');
      writeFileSync(secret, 'secret');
      const replaced: string[] = [];
      const onRequest = ({ url }: { url?: string | undefined }) => {
        if (replaced.length > 0) return;
        const other = pathOf({ url }) === 'a.txt' ? 'b.txt' : 'a.txt';
        replaced.push(other);
        rmSync(path.join(world.workspace, other));
        replace(path.join(world.workspace, other), secret);
      };
      const result = await runBadly(world, { concurrency: '1' }, { onRequest });
      assert.equal(uploads(world).length, 1);
      const [source = ''] = replaced;
      assert.deepEqual([result.file(source).status, result.report.totals['uploaded']], ['failed', 1]);
      assert.match(result.file(source).error?.message ?? '', new RegExp(source.replace('.', '\\.')));
    });
  }
});
