import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  beginAnswer,
  endFrame,
  errorFrame,
  LAST_FRAME,
  outputFrame,
  startFrame,
} from '../process-frames.ts';
import { answer, type Responder } from './scripted-agent.ts';
import { failScripted, sendFrames, succeedScripted } from './scripted-run.ts';

/** Begins an answer with these frames, then loses the connection. */
function loseAfter(...frames: readonly Buffer[]): Responder {
  return socket => {
    beginAnswer(socket, frames);
    socket.end();
  };
}

const html = (status: number) => answer(status, '<title>Proxy</title>');

/** Answers to a start after which the command may be running. */
const LOST_STARTS: Readonly<Record<string, Responder>> = {
  'whose connection is reset': socket => socket.resetAndDestroy(),
  'whose answer breaks off within a frame': loseAfter(startFrame(42).subarray(0, -1)),
  'that a proxy answers with 408': html(408),
  'that a proxy answers with 502': html(502),
};

/** Answers to a start that say that there is no command, and their advice. */
const REFUSED_STARTS: Readonly<Record<string, readonly [start: Responder, advice: RegExp]>> = {
  'by a service without a process service': [
    answer(404, '404 page not found'),
    /answered 404[^]*the service cannot run commands/,
  ],
  'by a server that knows no POST': [html(501), /answered 501/],
  'for a sandbox that is gone': [
    answer(502, '{"message":"The sandbox was not found"}'),
    /The sandbox was not found/,
  ],
};

describe('a start', { concurrency: 3 }, () => {
  for (const [what, Start] of Object.entries(LOST_STARTS))
    test(`a start ${what} is not repeated, since the command may be running`, async () => {
      const { result, calls } = await failScripted({ processes: { Start } });
      assert.equal(calls('Start').length, 1);
      assert.equal(calls('Connect').length, 0);
      assert.match(result.errors, /^npm test was not seen to end .* It may still be running\./);
      assert.equal(result.outputs['exit-code'], '');
    });

  for (const [what, [Start, advice]] of Object.entries(REFUSED_STARTS))
    test(`a start that is refused ${what} says so, and that nothing was started`, async () => {
      const { result, calls } = await failScripted({ processes: { Start } });
      assert.equal(calls('Start').length, 1);
      assert.match(result.errors, /^npm test was not started\./);
      assert.match(result.errors, advice);
      assert.doesNotMatch(result.errors, /may still be running/);
      const { 'exit-code': exitCode, 'duration-ms': duration } = result.outputs;
      assert.deepEqual([exitCode, duration], ['', '0']);
    });
});

test('an exit code of 0 without the last frame fails the step', async () => {
  const Start = sendFrames(startFrame(42), endFrame(0));
  const { result } = await failScripted({ processes: { Start } });
  assert.match(result.errors, /^npm test exited with 0 after .*, but the stream broke off\./);
  assert.deepEqual([result.outputs['exit-code'], result.report.succeeded], ['0', false]);
});

describe('a lost connection', { concurrency: 3 }, () => {
  const Start = loseAfter(startFrame(42), outputFrame('first\nseco'));

  test('a lost connection is attached again by pid, with a warning', async () => {
    const Connect = sendFrames(startFrame(42), outputFrame('last\n'), endFrame(0), LAST_FRAME);
    const { result, calls } = await succeedScripted({ processes: { Start, Connect } });
    assert.equal(calls('Start').length, 1);
    const [attached, ...others] = calls('Connect').map(({ body }) => body.subarray(5).toString());
    assert.deepEqual([attached, others], ['{"process":{"pid":42}}', []]);
    const warning = 'The connection was lost 1 time, so output of the command may be missing.';
    assert.deepEqual(result.annotations('warning'), [warning]);
    assert.match(result.stdout, /^first\n.* Connecting again in .*\n(.*\n)*secolast\n/m);
    assert.equal(result.outputs['exit-code'], '0');
  });

  test('an exit code other than 0 is seen after a lost connection', async () => {
    const Connect = sendFrames(startFrame(42), endFrame(3), LAST_FRAME);
    const { result } = await failScripted({ processes: { Start, Connect } });
    assert.match(result.errors, /^npm test exited with 3 after/);
    assert.match(result.warnings, /lost 1 time/);
    assert.equal(result.outputs['exit-code'], '3');
  });

  test('a command whose process is gone after a lost connection fails the step', async () => {
    const Connect = sendFrames(errorFrame('not_found', 'process with pid 42 not found'));
    const { result, calls } = await failScripted({ processes: { Start, Connect } });
    assert.match(result.errors, /^npm test was not seen to end within .* It may still be running/);
    assert.match(result.errors, /process with pid 42 not found[^]*may have been restarted/);
    assert.deepEqual([calls('Start').length, calls('Connect').length], [1, 1]);
    assert.deepEqual(result.report.command.lastLines, ['first', 'seco']);
    assert.equal(result.outputs['exit-code'], '');
  });
});
