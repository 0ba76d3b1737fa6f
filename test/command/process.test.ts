import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { attachProcess, type ProcessOptions, startProcess } from '../../src/command/process.ts';
import { LIMITS, openTestClient, TOKEN } from '../support/open-client.ts';
import {
  beginResponse,
  endFrame,
  errorFrame,
  frame,
  LAST_FRAME,
  loseAfter,
  outputFrame,
  sendFrames,
  startFrame,
  wholeStream,
} from '../support/process-frames.ts';
import {
  onRequest,
  type RawRequest,
  type RequestHandler,
  rawServer,
} from '../support/raw-server.ts';

const COMMAND: ProcessOptions = {
  script: 'exit',
  env: { A: '1 "ü"' },
  workingDirectory: '',
  username: '',
};

/** Starts a process through a server with this handler. Returns its end, or the error instead. */
async function follow(handle: RequestHandler) {
  await using server = await rawServer(onRequest(handle));
  await using client = openTestClient(`http://${server.host}`);
  const pids: number[] = [];
  const output: Buffer[] = [];
  const handlers = {
    onStart: (pid: number) => void pids.push(pid),
    onOutput: (bytes: Buffer) => output.push(bytes),
  };
  const end = await startProcess(client, COMMAND, handlers, LIMITS).catch((error: unknown) => {
    assert.ok(error instanceof AgentError, String(error));
    return error;
  });
  return { pids, output: Buffer.concat(output).toString(), end };
}

const IGNORED = { onOutput: () => {} };

test('a process is started, and attached to by its pid, as the Connect protocol asks for', async () => {
  const requests: RawRequest[] = [];
  await using server = await rawServer(
    onRequest((socket, request) => {
      requests.push(request);
      sendFrames(...wholeStream())(socket, request);
    }),
  );
  await using client = openTestClient(`http://${server.host}`);
  const ofUser = { ...COMMAND, workingDirectory: 'app', username: 'ünï' };
  await startProcess(client, ofUser, IGNORED, LIMITS);
  await startProcess(client, COMMAND, IGNORED, LIMITS);
  await attachProcess(client, 7, IGNORED, LIMITS);
  const sent = requests.map(({ head, body }) => {
    const [line, ...lines] = head.trim().split('\r\n');
    const headers = Object.fromEntries(lines.map(each => each.split(': ')));
    assert.partialDeepStrictEqual(headers, {
      'Content-Type': 'application/connect+json',
      'Connect-Protocol-Version': '1',
      // An interval of 0 crashes E2B's agent.
      'Keepalive-Ping-Interval': '10',
      'X-Access-Token': TOKEN,
    });
    assert.deepEqual([body[0], body.readUInt32BE(1)], [0, body.length - 5]);
    return [line, headers['Authorization'], JSON.parse(body.toString('utf8', 5))];
  });
  // A user or a folder that no input sets is not sent, so the agent chooses it.
  const basic = `Basic ${Buffer.from('ünï:').toString('base64')}`;
  const args = ['-l', '-c', COMMAND.script];
  const process = { cmd: '/bin/bash', args, envs: COMMAND.env };
  const start = 'POST /process.Process/Start HTTP/1.1';
  assert.deepEqual(sent, [
    [start, basic, { process: { ...process, cwd: 'app' }, stdin: false }],
    [start, undefined, { process, stdin: false }],
    ['POST /process.Process/Connect HTTP/1.1', undefined, { process: { pid: 7 } }],
  ]);
});

const frames = [
  startFrame(42),
  outputFrame('aü', 'stdout'),
  frame({ event: { keepalive: {} } }),
  outputFrame('€b', 'stderr'),
  endFrame(3),
  LAST_FRAME,
];
const exited3 = { exitCode: 3, status: 'exit status 3' };
const expected = { pids: [42], output: 'aü€b', end: exited3 };

test('a response is read the same if it is split at any position', async () => {
  const whole = Buffer.concat(frames);
  for (let at = 1; at <= whole.length; at += 1)
    assert.deepEqual(await follow(sendFrames(whole.subarray(0, at), whole.subarray(at))), expected);
});

test('unknown frames and frames that are not JSON are ignored', async () => {
  const senseless = [
    {},
    [],
    { event: null },
    { event: 'end' },
    { event: { start: null, data: [], end: undefined } },
    { event: { start: { pid: '7' }, data: { stdout: 7 } } },
    { event: { later: { kind: 1 } } },
  ].map(message => frame(message));
  const noJson = Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), Buffer.from('{"')]);
  const [start = assert.fail(), ...others] = frames;
  assert.deepEqual(await follow(sendFrames(start, ...senseless, noJson, ...others)), expected);
});

type End = Readonly<{ exited?: boolean; exitCode?: number | string; status?: string }>;
const EXIT_CODES: readonly (readonly [end: End, exitCode: number | undefined])[] = [
  [{ exited: true }, 0],
  [{ exitCode: -1, status: 'signal: killed' }, -1],
  [{ status: 'exit status 0' }, undefined],
  [{ exited: false, exitCode: 0 }, undefined],
  [{ exited: true, exitCode: '0' }, undefined],
  [{ exited: true, exitCode: 0.5 }, undefined],
  [{ exited: true, status: 'exit status 3' }, undefined],
  [{ exited: true, status: 'exit status 0' }, 0],
];
test('an end event without a clear exit code has none', async () => {
  for (const [fields, exitCode] of EXIT_CODES) {
    const { end } = await follow(sendFrames(frame({ event: { end: fields } }), LAST_FRAME));
    assert.deepEqual(end, { exitCode, status: fields.status ?? '' });
  }
});

test('the exit code survives a stream that breaks after the end event', async () => {
  const endless: RequestHandler = socket => beginResponse(socket, [endFrame(3)]);
  const failing = sendFrames(endFrame(3), errorFrame('internal', 'lost it'));
  for (const handle of [loseAfter(endFrame(3)), failing, endless])
    assert.deepEqual((await follow(handle)).end, exited3);
});

test('the status of an ended process is redacted, and kept on one short line', async () => {
  const status = `killed\nby ${TOKEN} ${'x'.repeat(400)}`;
  const fields = frame({ event: { end: { exitCode: 1, status } } });
  const { end: seen } = await follow(sendFrames(fields, LAST_FRAME));
  assert.ok('exitCode' in seen);
  assert.match(seen.status, /^killed by \*\*\* x+…$/);
  assert.ok(seen.status.length <= 301);
});

// The first bytes of a web page also say so.
const long = Buffer.from([0, 0, 16, 0, 1]);
const FAILURES: Readonly<Record<string, readonly [RequestHandler, kind: string, words: RegExp]>> = {
  'no end': [sendFrames(startFrame(1)), 'connection', /connection was closed/],
  'a last frame without an end': [sendFrames(LAST_FRAME), 'bad-response', /did not say how/],
  'a frame above 1 MiB': [sendFrames(startFrame(1), long), 'bad-response', /other than frames/],
};
for (const [what, [handle, kind, words]] of Object.entries(FAILURES))
  test(`a response that no agent sends is an error [${what}]`, async () => {
    const { end } = await follow(handle);
    assert.ok(end instanceof AgentError, JSON.stringify(end));
    assert.equal(end.kind, kind);
    assert.match(end.message, words);
  });

// The error codes of Connect: https://connectrpc.com/docs/protocol#error-codes
const CODES: readonly (readonly [code: string, kind: string, hint: RegExp])[] = [
  ['unauthenticated', 'unauthorized', /^Check username/],
  ['invalid_argument', 'rejected', /working-directory exists/],
  ['not_found', 'rejected', /may have been restarted/],
  ['unavailable', 'busy', /busy/],
  ['resource_exhausted', 'busy', /busy/],
  ['internal', 'server', /overloaded/],
];
for (const [code, kind, hint] of CODES)
  test(`an error of Connect is reported with its words, redacted, but without the script [${code}]`, async () => {
    const message = `error starting process 'bash -c 'a'\nb': no\n "${TOKEN}"`;
    const { end, pids } = await follow(sendFrames(errorFrame(code, message)));
    assert.ok(end instanceof AgentError, JSON.stringify(end));
    assert.equal(end.kind, kind);
    assert.match(end.hint, hint);
    const words = `/process.Process/Start failed (${code}). It said: "no \\"***\\"".`;
    assert.ok(end.message.endsWith(words), end.message);
    assert.deepEqual([end.status, end.hadNoEffect, pids], [200, true, []]);
  });

test('an error frame of any shape is an error', async () => {
  for (const error of [null, {}, 'x', 7, [], { code: 1, message: {} }]) {
    const { end } = await follow(sendFrames(startFrame(1), frame({ error }, 2)));
    assert.ok(end instanceof AgentError, JSON.stringify(error));
  }
});
