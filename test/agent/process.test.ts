import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { AgentError } from '../../src/agent/failure.ts';
import {
  attachProcess,
  killProcess,
  type ProcessEnd,
  type ProcessOptions,
  startProcess,
} from '../../src/agent/process.ts';
import {
  answerWith,
  beginAnswer,
  endFrame,
  errorFrame,
  frame,
  LAST_FRAME,
  outputFrame,
  signalFrame,
  startFrame,
  wholeStream,
} from '../process-frames.ts';
import {
  answering,
  http,
  onRequest,
  type RawRequest,
  rawServer,
  type Script,
} from '../raw-server.ts';
import { openTestClient, TOKEN } from './open-client.ts';

const COMMAND: ProcessOptions = {
  command: '/bin/sh',
  args: ['-c', 'exit'],
  env: { A: '1 "ü"' },
  workingDirectory: '',
  username: '',
};

interface Followed {
  readonly pids: readonly number[];
  readonly output: string;
  /** The end of the process, or why it was not seen. */
  readonly end: ProcessEnd | AgentError;
}

/** Starts a process on a server that runs this script. */
async function follow(script: Script, options: Partial<ProcessOptions> = {}): Promise<Followed> {
  await using server = await rawServer(script);
  await using client = openTestClient(`http://${server.host}`);
  const pids: number[] = [];
  const output: Buffer[] = [];
  const end = await startProcess(
    client,
    { ...COMMAND, ...options },
    { onStart: pid => pids.push(pid), onOutput: bytes => output.push(bytes) },
  ).catch((error: unknown) => {
    assert.ok(error instanceof AgentError, String(error));
    return error;
  });
  return { pids, output: Buffer.concat(output).toString(), end };
}

/** Starts a process whose answer consists of these pieces. */
function followPieces(...pieces: readonly Buffer[]): Promise<Followed> {
  return follow(onRequest(socket => answerWith(socket, pieces)));
}

/** Begins an answer with these pieces, then loses the connection. */
function cut(...pieces: readonly Buffer[]): Script {
  return onRequest(socket => {
    beginAnswer(socket, pieces);
    socket.end();
  });
}

/** Returns the requests that a call makes. */
async function requestsOf(
  call: (client: ReturnType<typeof openTestClient>) => Promise<unknown>,
): Promise<RawRequest[]> {
  const requests: RawRequest[] = [];
  await using server = await rawServer(
    onRequest((socket, request) => {
      requests.push(request);
      if (request.head.includes('SendSignal')) socket.write(http(200, '{}'));
      else answerWith(socket, wholeStream(''));
    }),
  );
  await using client = openTestClient(`http://${server.host}`);
  await call(client);
  return requests;
}

const IGNORED = { onStart: () => {}, onOutput: () => {} };

/** Decodes the only frame of a request. */
function messageOf({ body }: RawRequest): unknown {
  assert.deepEqual([body[0], body.readUInt32BE(1)], [0, body.length - 5]);
  return JSON.parse(body.toString('utf8', 5));
}

describe('requests', () => {
  test('a start sends the command, the user, and what the Connect protocol asks for', async () => {
    const options = { ...COMMAND, workingDirectory: 'app', username: 'ünï' };
    const [request] = await requestsOf(client => startProcess(client, options, IGNORED));
    assert.ok(request);
    assert.match(request.head, /^POST \/process\.Process\/Start HTTP/);
    const basic = Buffer.from('ünï:').toString('base64');
    for (const line of [
      `Authorization: Basic ${basic}`,
      `X-Access-Token: ${TOKEN}`,
      'Content-Type: application/connect\\+json',
      'Connect-Protocol-Version: 1',
      // 0 crashes E2B's agent.
      'Keepalive-Ping-Interval: 10',
    ])
      assert.match(request.head, RegExp(`^${line}\r$`, 'im'));
    const { command: cmd, args, env: envs } = COMMAND;
    const process = { cmd, args, envs, cwd: 'app' };
    assert.deepEqual(messageOf(request), { process, stdin: false });
  });

  test('a start leaves user and folder to the agent if they are empty', async () => {
    const [request] = await requestsOf(client => startProcess(client, COMMAND, IGNORED));
    assert.ok(request);
    assert.doesNotMatch(request.head, /^Authorization:/im);
    assert.doesNotMatch(JSON.stringify(messageOf(request)), /"cwd"/);
  });

  test('an attachment names the process by its pid', async () => {
    const [request] = await requestsOf(client => attachProcess(client, 7, IGNORED));
    assert.ok(request);
    assert.match(request.head, /^POST \/process\.Process\/Connect HTTP/);
    assert.match(request.head, /^Keepalive-Ping-Interval: 10\r$/im);
    assert.deepEqual(messageOf(request), { process: { pid: 7 } });
  });

  test('a process is killed by its pid, in plain JSON', async () => {
    const [request] = await requestsOf(client => killProcess(client, 7));
    assert.match(request?.head ?? '', /^POST \/process\.Process\/SendSignal HTTP/);
    assert.match(request?.head ?? '', /^Content-Type: application\/json\r$/im);
    const message = JSON.parse(String(request?.body));
    assert.deepEqual(message, { process: { pid: 7 }, signal: 'SIGNAL_SIGKILL' });
  });
});

describe('frames', () => {
  const frames = [
    startFrame(42),
    outputFrame('aü', 'stdout'),
    frame({ event: { keepalive: {} } }),
    outputFrame('€b', 'stderr'),
    endFrame(3),
    LAST_FRAME,
  ];
  const whole = Buffer.concat(frames);
  const expected: Followed = {
    pids: [42],
    output: 'aü€b',
    end: { exitCode: 3, status: 'exit status 3', problem: undefined },
  };

  test('an answer is read the same if it is split at any position', async () => {
    await using server = await rawServer(
      onRequest((socket, { count }) =>
        answerWith(socket, [whole.subarray(0, count), whole.subarray(count)]),
      ),
    );
    await using client = openTestClient(`http://${server.host}`);
    for (let at = 1; at <= whole.length; at += 1) {
      const output: Buffer[] = [];
      const onOutput = (bytes: Buffer) => output.push(bytes);
      const end = await startProcess(client, COMMAND, { onStart() {}, onOutput });
      assert.deepEqual([String(Buffer.concat(output)), end], [expected.output, expected.end]);
    }
    assert.equal(server.connections.length, 1);
  });

  test('output is passed on before the process ends', async () => {
    const arrived = Promise.withResolvers<void>();
    await using server = await rawServer(
      onRequest(socket => {
        beginAnswer(socket, [startFrame(1), outputFrame('first')]);
        void arrived.promise.then(() => socket.end());
      }),
    );
    await using client = openTestClient(`http://${server.host}`);
    const onOutput = (bytes: Buffer) => {
      assert.equal(String(bytes), 'first');
      arrived.resolve();
    };
    await assert.rejects(startProcess(client, COMMAND, { onStart() {}, onOutput }));
    await arrived.promise;
  });

  const SENSELESS: readonly object[] = [
    {},
    [],
    { event: null },
    { event: 'end' },
    { event: { start: null, data: [], end: undefined } },
    { event: { start: { pid: '7' }, data: { stdout: 7 } } },
    { event: { later: { kind: 1 } } },
  ];
  test('frames that mean nothing are ignored', async () => {
    const senseless = SENSELESS.map(message => frame(message));
    const [start, ...others] = frames;
    assert.ok(start);
    assert.deepEqual(await followPieces(start, ...senseless, ...others), expected);
    const noJson = Buffer.concat([Buffer.from([0, 0, 0, 0, 2]), Buffer.from('{"')]);
    assert.deepEqual(await followPieces(start, noJson, ...others), expected);
  });
});

describe('ends', () => {
  type Case = readonly [last: readonly Buffer[], exitCode: number | undefined, problem?: RegExp];
  const end = (fields: object) => frame({ event: { end: fields } });
  const ENDS: Readonly<Record<string, Case>> = {
    'an absent exit code is 0 if the process exited': [[endFrame(0), LAST_FRAME], 0],
    'an absent exit code is unknown if nothing says that the process exited': [
      [end({ status: 'exit status 0' }), LAST_FRAME],
      undefined,
    ],
    'an exit code of 0 is unknown if the process did not exit': [
      [end({ exitCode: 0, exited: false }), LAST_FRAME],
      undefined,
    ],
    'an exit code that is no number is unknown': [
      [end({ exitCode: '0', exited: true }), LAST_FRAME],
      undefined,
    ],
    'an end without any fields has no exit code': [[end({}), LAST_FRAME], undefined],
    'an exit code of 3 is kept': [[endFrame(3), LAST_FRAME], 3],
    'an exit code of 127 is kept': [[endFrame(127), LAST_FRAME], 127],
    'a signal is the exit code -1': [[signalFrame('killed'), LAST_FRAME], -1],
    'an end without the last frame is not trusted': [[endFrame(0)], 0, /connection was closed/],
    'an end is not trusted if the last frame has an error': [
      [endFrame(0), errorFrame('internal', 'lost it')],
      0,
      /failed \(internal\). It said: "lost it"/,
    ],
    'an end is not trusted if something other than frames follows': [
      [endFrame(0), Buffer.from('<html></html>')],
      0,
      /something other than frames/,
    ],
    'an end is not trusted if the last frame is cut off': [
      [endFrame(0), LAST_FRAME.subarray(0, -1)],
      0,
      /connection was closed/,
    ],
  };
  for (const [what, [last, exitCode, problem = /^undefined$/]] of Object.entries(ENDS))
    test(what, async () => {
      const followed = await followPieces(startFrame(1), ...last);
      assert.ok(!(followed.end instanceof Error), JSON.stringify(followed));
      assert.equal(followed.end.exitCode, exitCode);
      assert.match(String(followed.end.problem), problem);
    });

  test('an end is not trusted if the connection is closed after it', async () => {
    const { end: seen } = await follow(cut(startFrame(1), endFrame(0)));
    assert.ok('exitCode' in seen, JSON.stringify(seen));
    assert.equal(seen.exitCode, 0);
    assert.match(seen.problem ?? '', /connection was closed/);
  });

  test('the words for an end are redacted, and kept on one short line', async () => {
    const status = `killed\nby ${TOKEN} ${'x'.repeat(400)}`;
    const fields = frame({ event: { end: { exitCode: 1, status } } });
    const { end: seen } = await followPieces(startFrame(1), fields, LAST_FRAME);
    assert.ok('exitCode' in seen);
    assert.match(seen.status, /^killed by \*\*\* x+…$/);
    assert.ok(seen.status.length <= 301);
  });
});

describe('failures', () => {
  type Failing = readonly [script: Script, kind: string, words: RegExp, hint?: RegExp];
  const pieces = (...all: readonly Buffer[]) => onRequest(socket => answerWith(socket, all));
  const html = '<!doctype html><h1>It works</h1>';
  const long = Buffer.from([0, 0, 16, 0, 1]);
  const FAILURES: Readonly<Record<string, Failing>> = {
    'an answer without frames fails': [pieces(), 'connection', /connection was closed/],
    'an answer that ends after the start fails': [
      pieces(startFrame(1), outputFrame('x')),
      'connection',
      /connection was closed/,
    ],
    'a connection that is lost after the start fails': [cut(startFrame(1)), 'connection', /./],
    'a last frame without an end fails': [
      pieces(startFrame(1), LAST_FRAME),
      'bad-answer',
      /did not say how the command ended/,
    ],
    'a frame above 1 MiB fails': [
      pieces(startFrame(1), long),
      'bad-answer',
      /something other than frames/,
    ],
    'a web page is something other than frames': [
      answering(http(200, html)),
      'bad-answer',
      /something other than frames/,
      /Check that base-url/,
    ],
    'a 404 says that the service cannot run commands': [
      answering(http(404, '404 page not found')),
      'not-found',
      /answered 404/,
      /Check base-url\. If it is right, the service cannot run commands/,
    ],
  };
  for (const [what, [script, kind, words, hint = /./]] of Object.entries(FAILURES))
    test(what, async () => {
      const { end } = await follow(script);
      assert.ok(end instanceof AgentError, JSON.stringify(end));
      assert.equal(end.kind, kind);
      assert.match(end.message, words);
      assert.match(end.hint, hint);
    });

  // https://connectrpc.com/docs/protocol#error-codes
  const CODES: readonly (readonly [code: string, kind: string, hint: RegExp])[] = [
    ['unauthenticated', 'unauthorized', /^Check username/],
    ['invalid_argument', 'rejected', /working-directory exists.*shorter than 128 KiB/],
    ['not_found', 'rejected', /may have been restarted/],
    ['unavailable', 'busy', /busy/],
    ['resource_exhausted', 'busy', /busy/],
    ['internal', 'server', /overloaded/],
    // Not a code, but a property of every object.
    ['constructor', 'server', /overloaded/],
  ];
  for (const [code, kind, hint] of CODES)
    test(`the Connect error ${code} is reported with its words, redacted`, async () => {
      const { end, pids } = await followPieces(errorFrame(code, `no\n "${TOKEN}"`));
      assert.ok(end instanceof AgentError, JSON.stringify(end));
      assert.equal(end.kind, kind);
      assert.match(end.hint, hint);
      const words = `/process.Process/Start failed (${code}). It said: "no \\"***\\"".`;
      assert.ok(end.message.endsWith(words), end.message);
      assert.deepEqual([end.status, end.hadNoEffect, pids], [200, true, []]);
    });

  test('an error frame of any shape is an error', async () => {
    for (const error of [null, {}, 'x', 7, [], { code: 1, message: {} }]) {
      const { end } = await followPieces(startFrame(1), frame({ error }, 2));
      assert.ok(end instanceof AgentError, JSON.stringify(error));
    }
  });

  test('a process that cannot be killed is reported with the words of the agent', async () => {
    const body = '{"code":"not_found","message":"process with pid 7 not found"}';
    await using server = await rawServer(answering(http(404, body)));
    await using client = openTestClient(`http://${server.host}`);
    await assert.rejects(killProcess(client, 7), /answered 404.*process with pid 7 not found/);
  });

  test('a followed process that is cancelled fails as cancelled', async () => {
    const cancel = new AbortController();
    await using server = await rawServer(onRequest(socket => beginAnswer(socket, [startFrame(1)])));
    await using client = openTestClient(`http://${server.host}`, { cancel: cancel.signal });
    const onStart = () => void setImmediate().then(() => cancel.abort());
    const following = startProcess(client, COMMAND, { onStart, onOutput() {} });
    await assert.rejects(following, { kind: 'cancelled' });
  });
});
