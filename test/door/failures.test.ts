import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../dev/agent/faults.ts';
import {
  assertDelivered,
  entryOf,
  goodBetween,
  manyFiles,
  methods,
  NOBODY,
  openEachFaulty,
  openFaulty,
  openWorld,
  pathOf,
  runBadly,
  runWell,
  says,
  status,
  uploads,
} from './harness.ts';

/** A failure of one file: what it is, and part of its message and advice. */
interface Row {
  readonly fault: FaultAction;
  readonly kind: string;
  readonly message?: RegExp;
  readonly hint?: RegExp;
}

/** Failures that no other attempt and no other file has to suffer from, by file. */
const ALONE: Readonly<Record<string, Row>> = {
  's-400': {
    fault: status(400, '{"code":400,"message":"path is a directory"}'),
    kind: 'rejected',
    message: /answered 400 Bad Request.*"path is a directory"/,
  },
  's-404': { fault: status(404), kind: 'not-found', message: /404/, hint: /upload-path/ },
  's-413': {
    fault: status(413, '<html><h1>413 Request Entity Too Large</h1></html>'),
    kind: 'too-large',
    message: /413/,
    hint: /size/,
  },
};

/** Failures that may pass, by file. */
const PASSING: Readonly<Record<string, FaultAction>> = {
  ...Object.fromEntries(
    [408, 409, 425, 429, 500, 503, 504].map(code => [`s-${code}`, status(code)]),
  ),
  's-503-early': status(503, '', { early: true }),
  's-502-port': status(502, says('The sandbox is running but port is not open')),
  'reset-before': { kind: 'reset', at: 'before-body' },
  'reset-during': { kind: 'reset', at: 'during-body' },
  'reset-after': { kind: 'reset', at: 'after-body' },
  'cut-off': { kind: 'truncate' },
};

/** Failures after which nothing else is tried. */
const FATAL: Readonly<Record<string, readonly [number, string, kind: string, hint: RegExp]>> = {
  'a wrong token': [401, 'no such token', 'unauthorized', /token/],
  'a full disk': [507, says('not enough disk space available', 507), 'disk-full', /disk is full/],
  'a sandbox that is gone': [
    502,
    says('The sandbox was not found'),
    'sandbox-not-found',
    /sandbox-id/,
  ],
};

suite('a failure', () => {
  test('of one file is told with message and advice, and the others arrive', async t => {
    const faults = Object.entries(ALONE).map(([name, { fault }]) => [name, fault] as const);
    await using world = await openEachFaulty(Object.fromEntries(faults), {
      files: goodBetween(Object.keys(ALONE)),
    });
    const result = await runBadly(world, { concurrency: '1', retries: '0' });
    for (const [name, { kind, message = /./, hint = /./ }] of Object.entries(ALONE))
      await t.test(name, () => {
        const { status: ending, error, attempts } = result.file(name);
        assert.deepEqual([ending, error?.kind, attempts], ['failed', kind, 1]);
        assert.match(error?.message ?? '', message);
        assert.match(error?.message ?? '', /POST http:\S+\/files/);
        assert.match(error?.hint ?? '', hint);
      });
    const { outputs } = result;
    assert.deepEqual([outputs['uploaded-count'], outputs['failed-count']], ['3', '3']);
  });

  test('that may pass is tried again, and logged, and not before Retry-After', async () => {
    const later = { 's-429-later': status(429, '', { headers: { 'Retry-After': '1' } }) };
    const passing = { ...PASSING, ...later };
    await using world = await openEachFaulty(passing, { times: 1 });
    const arrivals: number[] = [];
    const result = await runWell(
      world,
      { concurrency: '20' },
      {
        onRequest(request) {
          if (request.method === 'POST' && pathOf(request) === 's-429-later')
            arrivals.push(performance.now());
        },
      },
    );
    for (const name of Object.keys(passing)) {
      assert.equal(result.file(name).attempts, 2, name);
      assert.match(result.stdout, RegExp(`^Attempt 1 for ${name} failed, .*POST .*/files`, 'm'));
    }
    assertDelivered(world, result);
    const [first = 0, second = 0] = arrivals;
    assert.ok(second - first >= 1000, `${second - first} ms`);
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
      assert.match(result.file(name).error?.message ?? '', /timeout/);
    }
  });

  test('to wait for the whole body is no success of the agent', async () => {
    const early = status(200, JSON.stringify(entryOf('a.bin')), { early: true });
    // More than the system's buffers hold.
    const files = { 'a.bin': Buffer.alloc(24 * 1024 * 1024) };
    await using world = await openFaulty(early, {}, { files });
    const { outputs } = await runBadly(world, { retries: '0' }, { task: 'upload' });
    assert.equal(outputs['uploaded-count'], '0');
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
      assert.equal(JSON.parse(result.outputs['uploaded'] ?? '').length, 2);
      // The stats would be refused as well.
      if (code === 401) assert.doesNotMatch(methods(world), /GET/);
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
