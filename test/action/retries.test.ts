import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../dev/agent/faults.ts';
import {
  openFaulty,
  openWorld,
  pathOf,
  type Result,
  runBadly,
  runWell,
  uploads,
  type World,
  when,
} from './harness.ts';
import { manyFiles } from './world.ts';

const MIB = 1024 * 1024;

const PORT_NOT_OPEN =
  '{"sandboxId":"x","message":"The sandbox is running but port is not open","code":502}';

/** Transient failures by name. */
const TRANSIENT: Readonly<Record<string, FaultAction>> = {
  ...Object.fromEntries(
    [408, 409, 425, 429, 500, 503, 504].map(status => [
      `status ${status}`,
      { kind: 'status', status },
    ]),
  ),
  'status 503 at once': { kind: 'status', status: 503, early: true },
  'port not open': { kind: 'status', status: 502, body: PORT_NOT_OPEN },
  'reset before the body': { kind: 'reset', at: 'before-body' },
  'reset during the body': { kind: 'reset', at: 'during-body' },
  'reset after the body': { kind: 'reset', at: 'after-body' },
  'answer cut off': { kind: 'truncate' },
};

const STALLS: Readonly<Record<string, FaultAction>> = {
  'stall before reading': { kind: 'stall', at: 'reading' },
  'stall before answering': { kind: 'stall', at: 'answering' },
};

/** A world with a file of `size` bytes per fault, which hits the file's first attempt. */
function openTransient(
  faults: Readonly<Record<string, FaultAction>>,
  size: number,
): Promise<World> {
  const names = Object.keys(faults);
  return openWorld({
    files: Object.fromEntries(names.map(name => [name, name.padEnd(size, '.')])),
    faults: Object.entries(faults).map(([name, action]) => ({
      on: 'upload',
      path: name,
      times: 1,
      do: action,
    })),
  });
}

function attempts({ report }: Result): Record<string, unknown> {
  return Object.fromEntries(report.files.map(file => [file.source, file.attempts]));
}

function each<T>(faults: object, value: T): Record<string, T> {
  return Object.fromEntries(Object.keys(faults).map(name => [name, value]));
}

suite('another attempt', { concurrency: 4 }, () => {
  for (const [kind, size] of [
    ['small', 40],
    ['streamed', MIB],
  ] as const) {
    test(`follows each transient failure of a ${kind} file`, async () => {
      await using world = await openTransient(TRANSIENT, size);
      const result = await runWell(world, { concurrency: '20' });
      assert.deepEqual(attempts(result), each(TRANSIENT, 2));
      for (const name of Object.keys(TRANSIENT)) {
        assert.equal(world.stored(name).length, size, name);
        assert.match(
          result.stdout,
          new RegExp(`^Attempt 1 for ${name} failed, next in \\d+ ms: POST .*/files`, 'm'),
        );
      }
    });
  }

  for (const [kind, size] of [
    ['small', 40],
    ['streamed', 24 * MIB],
  ] as const) {
    test(`follows a time without progress of a ${kind} file`, async () => {
      await using world = await openTransient(STALLS, size);
      const result = await runWell(world, { timeout: '1s' });
      assert.deepEqual(attempts(result), each(STALLS, 2));
      for (const name of Object.keys(STALLS)) assert.equal(world.stored(name).length, size);
    });
  }

  test('is not made with retries at 0', async () => {
    await using world = await openTransient(TRANSIENT, 10);
    const result = await runBadly(world, { retries: '0' });
    assert.deepEqual(attempts(result), each(TRANSIENT, 1));
    assert.equal(uploads(world).length, Object.keys(TRANSIENT).length);
    assert.ok(result.report.files.every(({ status }) => status === 'failed'));
  });

  test('is made so many times as retries says, and no more', async () => {
    await using world = await openFaulty(
      { kind: 'status', status: 503 },
      {},
      { files: manyFiles(10) },
    );
    const result = await runBadly(world, { retries: '1' });
    assert.equal(uploads(world).length, 20);
    assert.ok(result.report.files.every(file => file.attempts === 2 && file.status === 'failed'));
  });

  test('is not made after a status that is no transient failure', async () => {
    const statuses = [400, 404, 405, 411, 413, 418, 422, 501, 505];
    const final = Object.fromEntries(
      statuses.map(status => [`${status}`, { kind: 'status', status } as const]),
    );
    await using world = await openTransient(final, 10);
    const result = await runBadly(world, { retries: '1' });
    assert.deepEqual(attempts(result), each(final, 1));
    assert.equal(uploads(world).length, statuses.length);
  });

  test('comes no sooner than Retry-After allows, in seconds or as a date', async () => {
    const date = new Date(Date.now() + 2000).toUTCString();
    const busy = (retryAfter: string): FaultAction => ({
      kind: 'status',
      status: 429,
      headers: { 'Retry-After': retryAfter },
    });
    await using world = await openTransient({ seconds: busy('1'), date: busy(date) }, 10);
    const arrivals = new Map<string, number[]>();
    await runWell(world, {}, { onRequest: request => note(arrivals, request) });
    const [first = 0, second = 0] = arrivals.get('seconds') ?? [];
    assert.ok(second - first >= 1000, `${second - first} ms`);
    const [, again = 0] = arrivals.get('date') ?? [];
    assert.ok(again >= Date.parse(date) - performance.timeOrigin, String(again));
  });

  test('sends the file as it is then', async () => {
    await using world = await openFaulty({ kind: 'reset', at: 'before-body' }, { times: 1 });
    const now = 'y'.repeat(300 * 1024);
    let seen = 0;
    const onRequest = () => {
      if (seen++ === 0) world.write({ 'a.txt': now });
    };
    const result = await runWell(world, {}, { onRequest });
    assert.equal(world.stored('a.txt').toString(), now);
    assert.equal(result.file('a.txt').size, now.length);
    assert.equal(result.outputs['uploaded-bytes'], String(now.length));
  });

  test('follows when a file shrank during the upload', async () => {
    await using world = await openWorld({ files: { 'a.bin': Buffer.alloc(48 * MIB) } });
    const once = when('a.bin', () => truncateSync(path.join(world.workspace, 'a.bin'), MIB));
    const result = await runWell(world, {}, once);
    assert.equal(world.stored('a.bin').length, MIB);
    assert.equal(result.file('a.bin').attempts, 2);
    assert.match(
      result.stdout,
      /Attempt 1 for a\.bin failed.*shrank by \d+ bytes during the upload/,
    );
  });
});

function note(arrivals: Map<string, number[]>, request: IncomingMessage): void {
  if (request.method !== 'POST') return;
  const name = pathOf(request);
  arrivals.set(name, [...(arrivals.get(name) ?? []), performance.now()]);
}
