import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentClient } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import type { StoredFile } from '../../src/agent/upload-client.ts';
import { openLevel } from '../../src/upload/level.ts';
import type { FileResult } from '../../src/upload/result.ts';
import { transfer } from '../../src/upload/transfer.ts';
import { files } from './transferring.ts';

/** Transfers six files, three a request. Every request fails or succeeds as `together` and `alone` say. */
function run(
  { together, alone }: { together: () => Error | undefined; alone?: () => Error | undefined },
  cancel = new AbortController(),
): Promise<FileResult[]> {
  const answer = (error: Error | undefined, targets: readonly string[]): Promise<StoredFile[]> =>
    error === undefined
      ? Promise.resolve(targets.map(target => ({ path: `/home/${target}`, size: 3 })))
      : Promise.reject(error);
  const client: AgentClient = {
    upload: async ({ target }) => {
      const [stored] = await answer(alone?.(), [target]);
      return stored ?? assert.fail();
    },
    uploadTogether: planned =>
      answer(
        together(),
        planned.map(({ target }) => target),
      ),
    stats: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  };
  return transfer(files(6), {
    client,
    level: openLevel(2, () => 0),
    filesPerRequest: 3,
    retry: { retries: 0, sleep: () => Promise.resolve(), random: () => 0 },
    cancel: cancel.signal,
    onEvent: () => {},
    clock: () => 0,
  });
}

function statuses(results: readonly FileResult[]): string[] {
  return Array.from(results, ({ status }) => status);
}

// The first request that is shared brings two.
const REFUSED = ['failed', 'failed', ...Array(4).fill('not-attempted')];

test('files that shared a failed request count as tried where the job is cancelled before they went alone', async () => {
  const cancel = new AbortController();
  const error = new AgentError('server', 'It failed.', { status: 500 });
  const together = () => {
    cancel.abort();
    return error;
  };
  const results = await run({ together }, cancel);
  assert.deepEqual(statuses(results), REFUSED);
  const [first] = results;
  assert.ok(first?.status === 'failed');
  assert.deepEqual([first.error, first.attempts], [error, 1]);
});

test('files that shared a failed request count as tried where another failure ends the transfer', async () => {
  const together = () => new AgentError('bad-answer', 'It stored one of them.');
  const alone = () => new AgentError('disk-full', 'The disk is full.');
  assert.deepEqual(statuses(await run({ together, alone })), REFUSED);
});

test('files that were to share a request have a result where the job was cancelled before', async () => {
  const cancel = new AbortController();
  cancel.abort();
  const results = await run({ together: () => assert.fail() }, cancel);
  assert.deepEqual(statuses(results), Array(6).fill('not-attempted'));
});

test('work that throws while files share a request ends the transfer with that error', async () => {
  const bug = new Error('bug');
  await assert.rejects(run({ together: () => bug }), bug);
});
