import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultAction } from '../../../dev/agent/faults.ts';
import { form, openSandbox } from './opened.ts';

const WHOLE = '[{"name":"a","path":"/a","type":"file"}]';

/** Faults, what a client sees of each, and whether the file is stored. */
const KINDS: readonly (readonly [FaultAction, sees: number | string, isStored: boolean])[] = [
  [{ kind: 'status', status: 429, headers: { 'Retry-After': '2' } }, 429, false],
  [{ kind: 'status', status: 503, early: true }, 503, false],
  [{ kind: 'delay', ms: 1 }, WHOLE, true],
  [{ kind: 'reset', at: 'before-body' }, 'broken', false],
  [{ kind: 'reset', at: 'during-body' }, 'broken', false],
  [{ kind: 'reset', at: 'after-body' }, 'broken', true],
  [{ kind: 'truncate' }, 'broken', true],
  [{ kind: 'answer', body: '[]' }, '[]', true],
];
for (const [action, sees, isStored] of KINDS) {
  test(`the stand-in misbehaves once with the fault ${JSON.stringify(action)}`, async () => {
    await using sandbox = await openSandbox({ faults: [{ on: 'any', times: 1, do: action }] });
    const seen = await sandbox
      .put('/a', 'text')
      .then(
        async answer => (answer.ok ? await answer.text() : answer.status),
        () => 'broken',
      )
      .catch(() => 'broken');
    assert.equal(seen, sees);
    const stored = await sandbox.read('/a').catch(() => undefined);
    assert.equal(stored, isStored ? 'text' : undefined);
    assert.equal((await sandbox.put('/a', 'text')).status, 200);
  });
}

test('the stand-in applies the first fault that is due, by operation, path, skip and times', async () => {
  const status = (number: number) => ({ kind: 'status', status: number }) as const;
  await using sandbox = await openSandbox({
    faults: [
      { on: 'upload', path: '/a', skip: 1, times: 1, do: status(501) },
      { on: 'upload', times: 2, do: status(502) },
      { on: 'upload', path: 'ä b', do: status(503) },
      { on: 'stats', do: status(504) },
    ],
  });
  const statuses = [];
  for (const name of ['/a', '/a', '/b', '/b']) statuses.push((await sandbox.put(name, '')).status);
  for (const names of [
    ['x', 'ä b'],
    ['x', 'y'],
  ])
    statuses.push((await sandbox.post('', form(['', ''], names))).status);
  statuses.push((await sandbox.put('/b', '', { 'X-Access-Token': 'wrong' })).status);
  assert.deepEqual(statuses, [502, 501, 502, 200, 503, 200, 401]);
  assert.equal(sandbox.agent.unmatchedFaults().length, 1);
  sandbox.agent.addFaults({ on: 'any', do: status(505) });
  assert.equal((await sandbox.put('/c', '')).status, 505);
});
