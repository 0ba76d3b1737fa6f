import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  endFrame,
  errorFrame,
  LAST_FRAME,
  loseAfter,
  outputFrame,
  sendFrames,
  startFrame,
} from '../support/process-frames.ts';
import {
  answer,
  expectScriptedFailure,
  expectScriptedSuccess,
  inTurn,
} from '../support/scripted-agent.ts';

test('a start that was refused is reported as not started, with the reason', async () => {
  const Start = answer(404, '404 page not found');
  const run = await expectScriptedFailure({ processes: { Start }, inputs: { retries: '0' } });
  const { calls, errors, outputs } = run;
  assert.equal(calls('Start').length, 1);
  assert.match(errors, /^npm test was not started\./);
  assert.match(errors, /answered 404[^]*the service cannot run commands/);
  assert.doesNotMatch(errors, /may still be running/);
  assert.deepEqual([outputs['exit-code'], outputs['duration-ms']], ['', '0']);
});

describe('a lost connection', { concurrency: 3 }, () => {
  const Start = loseAfter(startFrame(42), outputFrame('first\nseco'));

  test('run reconnects to its command by PID after a lost connection, and warns', async () => {
    const Connect = inTurn(
      loseAfter(startFrame(42), outputFrame('nd\nthi')),
      sendFrames(startFrame(42), outputFrame('rd\n'), endFrame(0), LAST_FRAME),
    );
    const run = await expectScriptedSuccess({ processes: { Start, Connect } });
    const starts = run.calls('Start').filter(({ body }) => body.includes('npm test'));
    assert.equal(starts.length, 1);
    const attached = run.calls('Connect').map(({ body }) => body.subarray(5).toString());
    assert.deepEqual(attached, Array(2).fill('{"process":{"pid":42}}'));
    const warning = 'The connection was lost 2 times, so output of the command may be missing.';
    assert.deepEqual(run.annotations('warning'), [warning]);
    assert.match(run.stdout, /^first\n[^\n]* Connecting again in .*\nseco\n/m);
    // A part of a line may be missing, so what follows is not its rest.
    const lines = ['first', 'seco', 'nd', 'thi', 'rd'];
    assert.deepEqual(run.report.command.lastLines, lines);
    assert.equal(run.outputs['exit-code'], '0');
  });

  test('a command whose process is gone after a lost connection fails the step', async () => {
    const Connect = sendFrames(errorFrame('not_found', 'process with pid 42 not found'));
    const run = await expectScriptedFailure({ processes: { Start, Connect } });
    assert.match(run.errors, /^npm test was not seen to end within .* It may still be running/);
    assert.match(run.errors, /process with pid 42 not found[^]*may have been restarted/);
    assert.deepEqual([run.calls('Start').length, run.calls('Connect').length], [1, 1]);
    assert.deepEqual(run.report.command.lastLines, ['first', 'seco']);
    assert.equal(run.outputs['exit-code'], '');
  });
});
