import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followScript } from '../../src/tasks/follow-script.ts';
import { redactor } from '../../src/text/redact.ts';
import { fakeClock } from '../clock.ts';
import {
  answerWith,
  beginAnswer,
  endAnswer,
  endFrame,
  errorFrame,
  frame,
  LAST_FRAME,
  outputFrame,
  signalFrame,
  startFrame,
  wholeStream,
} from '../process-frames.ts';
import { http, onRequest, rawServer, type Script } from '../raw-server.ts';

type Respond = Parameters<typeof onRequest>[0];

const TOKEN = 'tok-3f9c1d-secret';

const loseAfter =
  (...frames: readonly Buffer[]): Respond =>
  socket => {
    beginAnswer(socket, frames);
    socket.end();
  };

const send =
  (...frames: readonly Buffer[]): Respond =>
  socket =>
    answerWith(socket, frames);

/** Runs a script. The server gives each answer in turn; after them, it gives none. */
async function follow(answers: readonly Respond[], stop = new AbortController().signal) {
  const requests: string[] = [];
  const users: (string | undefined)[] = [];
  const answerInTurn: Script = onRequest((socket, request) => {
    const [, operation = ''] = /^POST \/process\.Process\/(\w+)/.exec(request.head) ?? [];
    const message = JSON.parse(request.body.toString('utf8', operation === 'SendSignal' ? 0 : 5));
    const { pid } = message.process;
    const [, basic] = /^Authorization: Basic (.*)$/im.exec(request.head) ?? [];
    users.push(basic && Buffer.from(basic, 'base64').toString().replace(/:$/, ''));
    requests.push(pid === undefined ? operation : `${operation} ${pid}`);
    answers[requests.length - 1]?.(socket, request);
  });
  await using server = await rawServer(answerInTurn);
  const { now, sleep } = fakeClock();
  const output: Buffer[] = [];
  const { end, reconnects } = await followScript(
    { baseUrl: `http://${server.host}`, headers: {}, timeoutMs: 60_000 },
    {
      run: 'npm test',
      env: {},
      workingDirectory: '',
      username: 'me',
      stopScript: stop,
      onOutput: bytes => output.push(bytes),
    },
    {
      workspace: '/w',
      cancel: new AbortController().signal,
      killImminent: new AbortController().signal,
      redact: redactor([TOKEN]),
      sandboxes: [],
      random: () => 0.5,
      log: { line() {}, output() {}, debug() {}, warning() {} },
      clock: now,
      now,
      sleep,
    },
  );
  return { end, requests, users, output: Buffer.concat(output).toString(), reconnects };
}

/** Answers to a start after which the script may be running. */
const LOST: Readonly<Record<string, Respond>> = {
  'is reset': socket => socket.resetAndDestroy(),
  'never begins': socket => socket.end(),
  'breaks off within its first frame': loseAfter(startFrame(42).subarray(0, -1)),
  'is the 502 of a proxy': socket => socket.write(http(502, '<title>Proxy</title>')),
};

for (const [what, start] of Object.entries(LOST))
  test(`a start is not repeated if its answer ${what}`, async () => {
    const { end, requests } = await follow([start, send(...wholeStream(''))]);
    assert.deepEqual([end.kind, requests], ['lost', ['Start']]);
  });

const busy: Respond = socket => socket.write(http(429));
const REFUSED = { busy, unavailable: send(errorFrame('unavailable')) };
for (const [what, refuse] of Object.entries(REFUSED))
  test(`a start that is refused as ${what} is not repeated, and is reported as not started`, async () => {
    const { end, requests } = await follow([refuse, send(...wholeStream(''))]);
    assert.deepEqual([end.kind, requests], ['not-started', ['Start']]);
  });

test('a script is followed by its pid after each lost connection, until its end', async () => {
  const status = `exit status 3 of ${TOKEN}`;
  const last = frame({ event: { end: { exitCode: 3, exited: true, status } } });
  const { end, requests, output, reconnects } = await follow([
    loseAfter(startFrame(42), outputFrame('a')),
    loseAfter(startFrame(42), outputFrame('b')),
    send(startFrame(42), outputFrame('c'), last, LAST_FRAME),
  ]);
  assert.deepEqual(requests, ['Start', 'Connect 42', 'Connect 42']);
  assert.deepEqual([output, reconnects], ['abc', 2]);
  const expected = { exitCode: 3, status: 'exit status 3 of ***', problem: undefined };
  assert.deepEqual(end, { kind: 'ended', ...expected });
});

test('a script whose process is gone after a lost connection counts as lost', async () => {
  const { end, requests } = await follow([
    loseAfter(startFrame(42)),
    send(errorFrame('not_found', 'process with pid 42 not found')),
    send(endFrame(0), LAST_FRAME),
  ]);
  assert.deepEqual([end.kind, requests], ['lost', ['Start', 'Connect 42']]);
});

test('a script is stopped as root, or as its own user if there is no root', async () => {
  const stop = new AbortController();
  const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
  const refuse = send(errorFrame('unauthenticated', "invalid user: 'root'"));
  const { end, requests, users } = await follow(
    [
      socket => {
        beginAnswer(socket, [startFrame(42)]);
        void killed.then(() => endAnswer(socket, [signalFrame('terminated'), LAST_FRAME]));
        stop.abort();
      },
      refuse,
      send(...wholeStream('')),
      socket => socket.write(http(200, '{}'), () => kill()),
    ],
    stop.signal,
  );
  assert.deepEqual(requests, ['Start', 'Start', 'Start', 'SendSignal 42']);
  assert.deepEqual(users, ['me', 'root', 'me', undefined]);
  assert.equal(end.kind, 'ended');
});

test('nothing is started if the job was cancelled before', async () => {
  const { end, requests } = await follow([], AbortSignal.abort());
  assert.deepEqual([end.kind, requests], ['not-started', []]);
});
