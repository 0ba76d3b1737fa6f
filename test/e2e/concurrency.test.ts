import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { expectSuccess } from './run-action.ts';
import {
  answer,
  fileEntryJson,
  openScriptedAgent,
  type ReceivedRequest,
  type Responder,
} from './scripted-agent.ts';
import { manyFiles, openJob } from './test-job.ts';

/** Answers no upload until this many wait, then all of them. `most` says how many waited at once. */
function barrier(count: number) {
  const waiting: (readonly [Socket, ReceivedRequest])[] = [];
  let most = 0;
  const upload: Responder = (socket, request) => {
    waiting.push([socket, request]);
    most = Math.max(most, waiting.length);
    if (waiting.length < count) return;
    for (const [each, { target }] of waiting.splice(0))
      answer(200, fileEntryJson(target))(each, request);
  };
  return { upload, most: () => most };
}

test('24 uploads are in flight by default, on at most 24 connections', async () => {
  const { upload, most } = barrier(24);
  await using server = await openScriptedAgent({ upload });
  await using job = await openJob({ files: manyFiles(72) });
  await expectSuccess(job, { 'base-url': server.url }, { task: 'upload' });
  assert.deepEqual([most(), server.requests.length], [24, 72]);
  assert.ok(server.connections() <= 24, `${server.connections()} connections`);
});
