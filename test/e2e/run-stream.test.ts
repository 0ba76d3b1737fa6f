import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeColors } from '../../src/text/escape.ts';
import { assertNoInjection, INJECTIONS } from '../support/injections.ts';
import {
  beginResponse,
  endFrame,
  endResponse,
  frame,
  LAST_FRAME,
  loseAfter,
  outputFrame,
  sendFrames,
  startFrame,
  trailerOf,
} from '../support/process-frames.ts';
import {
  answer,
  expectScriptedFailure,
  expectScriptedSuccess,
  inTurn,
  type Responder,
} from '../support/scripted-agent.ts';
import { TOKEN } from '../support/test-job.ts';

/** Workflow commands in every syntax, with white space and colors around them. */
const COMMANDS = [
  ...['', ' ', '\t', '\u00a0', '\u3000', '\ufeff', '\u0085', '\u001b[2K', '\v', '\f', '\b'].map(
    space => `${space}::error::x`,
  ),
  ...['\r', '\n\r', '\r\r', '\u2028', 'a\r', 'a\u0085'].map(end => `${end}::add-mask::a`),
  '::stop-commands::x',
  '\u001b[31m::error::x\u001b[0m',
  'a ##[error]x',
  '##[add-mask]z ##[set-output name=exit-code;]0',
];

const HOSTILE = [...COMMANDS, ...Object.values(INJECTIONS)];

test('nothing in the output of a command acts on the runner, the summary or a terminal', async () => {
  const frames = HOSTILE.flatMap(text => [outputFrame(text), outputFrame(`${text}\n`, 'stderr')]);
  const end = frame({ event: { end: { exitCode: -1, status: HOSTILE.join('').slice(0, 200) } } });
  const Start = sendFrames(startFrame(42), ...frames, end, LAST_FRAME);
  const result = await expectScriptedFailure({ processes: { Start } });
  const lines = result.lines.map(line => removeColors(line).replaceAll('\t', ''));
  assertNoInjection({ ...result, lines });
  assert.equal(result.outputs['exit-code'], '-1');
  assert.deepEqual(result.masked, [TOKEN]);
  assert.match(result.errors, /^npm test: .* after/);
});

test('output above 16 MiB is not shown, and the log says so once', async () => {
  const MIB = 1024 * 1024;
  const LINE = `${'x'.repeat(1023)}\n`;
  const half = outputFrame(LINE.repeat(512));
  const frames = [...Array.from({ length: 33 }, () => half), outputFrame('the end\n')];
  const Start = sendFrames(startFrame(42), ...frames, endFrame(0), LAST_FRAME);
  const { lines, stdout, report } = await expectScriptedSuccess({ processes: { Start } });
  assert.equal(lines.filter(line => line.startsWith('xxx')).length, 16 * 1024);
  const notes = lines.filter(line => line.startsWith('The rest of the output is not shown'));
  assert.equal(notes.length, 1);
  assert.ok(stdout.length < 16 * MIB + 2000, `${stdout.length} characters`);
  assert.equal(report.command.lastLines.at(-1), 'the end');
  assert.equal(report.command.lastLines.length, 40);
});

test('a start that was refused is reported as not started, with the reason', async () => {
  const Start = answer(404, '404 page not found');
  const run = await expectScriptedFailure({ processes: { Start }, inputs: { retries: '0' } });
  const { calls, errors, outputs } = run;
  assert.equal(calls('Start').length, 1);
  assert.match(errors, /^npm test: not started\n/);
  assert.match(errors, /answered 404[^]*the service cannot run commands/);
  assert.doesNotMatch(errors, /may still be running/);
  assert.deepEqual([outputs['exit-code'], outputs['duration-ms']], ['', '0']);
});

for (const [whose, frames, lastLines] of [
  ['the script if the stream then ends', [endFrame(3), LAST_FRAME], ['cause', 'after']],
  ['the background otherwise', [], ['cause']],
] as const)
  test(`output after the end of a script is shown, and is that of [${whose}]`, async () => {
    const { errors, lines, report } = await expectScriptedFailure({
      processes: {
        Start(socket, { body }) {
          const output = `cause\n${trailerOf(body).replace('\t0', '\t3')}after\n`;
          beginResponse(socket, [startFrame(42), outputFrame(output)]);
          if (frames.length > 0) endResponse(socket, frames);
        },
      },
    });
    assert.deepEqual(lines.slice(lines.indexOf('cause')).slice(0, 2), ['cause', 'after']);
    assert.deepEqual(report.command.lastLines, lastLines);
    assert.ok(errors.endsWith(lastLines.join('\n')), errors);
  });

const LOST_OUTPUTS: Readonly<Record<string, Readonly<Record<string, Responder>>>> = {
  'whose trailer was lost with the connection': {
    Start: loseAfter(startFrame(42)),
    Connect: sendFrames(startFrame(42), endFrame(0), LAST_FRAME),
  },
  'of which a line was lost': {
    Start(socket, request) {
      const trailer = trailerOf(request.body).replace(/\t\t\n$/, '\t5\t\n');
      sendFrames(startFrame(42), outputFrame(trailer), endFrame(0), LAST_FRAME)(socket, request);
    },
  },
};
for (const [what, processes] of Object.entries(LOST_OUTPUTS))
  test(`run fails for outputs [${what}]`, async () => {
    const inputs = { run: 'echo a=1 >>"$GITHUB_OUTPUT"' };
    const { errors, outputs } = await expectScriptedFailure({ processes, inputs });
    assert.match(errors, /: not all outputs of the script are set\n/);
    assert.deepEqual([outputs['exit-code'], outputs['a']], ['0', undefined]);
  });

test('run reconnects to its command by PID after a lost connection, and warns', async () => {
  const Start = loseAfter(startFrame(42), outputFrame('first\nseco'));
  const Connect = inTurn(
    loseAfter(startFrame(42), outputFrame('nd\nthi')),
    sendFrames(startFrame(42), outputFrame('rd\n'), endFrame(0), LAST_FRAME),
  );
  const run = await expectScriptedSuccess({ processes: { Start, Connect } });
  const starts = run.calls('Start').filter(({ body }) => body.includes('npm test'));
  assert.equal(starts.length, 1);
  const attached = run.calls('Connect').map(({ body }) => body.subarray(5).toString());
  assert.deepEqual(attached, Array(2).fill('{"process":{"pid":42}}'));
  assert.match(run.warnings, /\nThe step connected again 2 times, so output .* may be missing\.$/);
  assert.match(run.stdout, /^first\n[^\n]* Connecting again in .*\nseco\n/m);
  // A part of a line may be missing, so what follows is not its rest.
  const lines = ['first', 'seco', 'nd', 'thi', 'rd'];
  assert.deepEqual(run.report.command.lastLines, lines);
  assert.equal(run.outputs['exit-code'], '0');
});
