import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import {
  beginResponse,
  endFrame,
  endResponse,
  errorFrame,
  LAST_FRAME,
  outputFrame,
  sendFrames,
  startFrame,
  withTrailer,
} from '../support/process-frames.ts';
import { answer, expectScriptedFailure, type Responder } from '../support/scripted-agent.ts';
import { METRICS } from '../support/test-job.ts';

const LIST = `lrwxrwxrwx 1 root root 0 Nov 24 06:11 /proc/7/exe -> /usr/bin/node
lrwxrwxrwx 1 root root 0 Nov 24 06:11 /proc/8/exe -> /usr/bin/node
lrwxrwxrwx 1 root root 0 Nov 24 06:11 /proc/9/exe -> /tmp/::error::##[x\`@me\u202e
/proc/7/status:RssAnon:\t  102400 kB
/proc/8/status:RssAnon:\t  1048576 kB
/proc/9/status:RssAnon:\t  1024 kB
`;

const NO_ROOT = sendFrames(errorFrame('unauthenticated', "invalid username: 'root'"));

/**
 * Mocks a sandbox that uses 95 % of its memory once a command has started. The command ends at the
 * request for stats after the last look at its programs has begun.
 */
function shortOfMemory(looks: readonly Responder[]) {
  const left = [...looks];
  let command: Socket | undefined;
  let start = Buffer.alloc(0);
  const Start: Responder = (socket, request) => {
    if (command !== undefined) return left.shift()?.(socket, request);
    command = socket;
    start = Buffer.from(request.body);
    beginResponse(socket, [startFrame(42)]);
  };
  const stats: Responder = (socket, request) => {
    const mem_used = METRICS.mem_total * (command === undefined ? 0.1 : 0.95);
    answer(200, JSON.stringify({ ...METRICS, mem_used }))(socket, request);
    if (left.length > 0 || command === undefined) return;
    endResponse(command, withTrailer([endFrame(0), LAST_FRAME], start));
  };
  return { processes: { Start }, stats };
}

const INPUTS = { username: 'me', 'sample-interval': '200ms', 'fail-if': 'mem_used_pct > 80' };

test('run says whose memory it was if the gate trips on memory, and looks as root or else as the user', async () => {
  const listed = sendFrames(startFrame(43), outputFrame(LIST), endFrame(0), LAST_FRAME);
  const { calls, lines, summary, report, stdout } = await expectScriptedFailure({
    ...shortOfMemory([NO_ROOT, listed]),
    inputs: INPUTS,
  });
  const line = lines.find(each => each.startsWith('Most memory at ')) ?? assert.fail(stdout);
  assert.match(line, /^Most memory at [\d:]+ UTC: `node` \(2 processes\) 1\.1 GiB, `.*` 1 MiB$/);
  assert.match(line, /`::error::##\\\[x'@me\\u\{202e\}`/);
  assert.match(summary, /<p>Most memory at [\d:]+ UTC: <code>node<\/code> \(2 processes\)/);
  const programs = report.command.topPrograms?.programs.map(({ count, bytes }) => [count, bytes]);
  assert.deepEqual(programs, [
    [2, 1124 * 2 ** 20],
    [1, 2 ** 20],
  ]);
  const [, ...looks] = calls('Start');
  assert.deepEqual(
    looks.map(({ headers }) => headers.find(each => each.startsWith('Authorization'))),
    ['root', 'me'].map(user => `Authorization: Basic ${btoa(`${user}:`)}`),
  );
});

test('run ends a look at the programs that has no answer when its command has ended', async () => {
  const run = { ...shortOfMemory([() => {}]), inputs: INPUTS };
  const { calls, outputs, report } = await expectScriptedFailure(run);
  assert.deepEqual([outputs['exit-code'], calls('Start').length], ['0', 2]);
  assert.equal(report.command.topPrograms, undefined);
});
