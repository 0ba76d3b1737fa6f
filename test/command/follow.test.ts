import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import type { Context } from '../../src/agent/context.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { commandToSend, followCommand } from '../../src/command/follow.ts';
import type { Inputs } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { fieldsOf } from '../../src/text/json.ts';
import { lineSplitter } from '../../src/text/lines.ts';
import { fakeClock } from '../support/clock.ts';
import { REQUIRED } from '../support/parse-inputs.ts';
import {
  endFrame,
  frame,
  LAST_FRAME,
  outputFrame,
  signalFrame,
  startFrame,
} from '../support/process-frames.ts';

interface Call {
  readonly operation: string;
  readonly timeout: number;
  /** The text that bash runs, if one is started. */
  readonly text: string;
  readonly mark: string;
  readonly at: number;
}

/** Yields the frames of a response, and breaks the connection after the last. */
type Stream = (call: Call, sleep: (ms: number) => Promise<unknown>) => AsyncIterable<Buffer>;

interface Simulation {
  readonly inputs?: Partial<Inputs<'run'>>;
  /** Responses to starts of the command. The last one repeats. */
  readonly start: readonly Stream[];
  /** Responses to reconnects. The last one repeats. */
  readonly connect?: readonly Stream[];
  /** What the further processes print, such as the one that looks for an exit code. */
  readonly helper?: (text: string) => string;
  readonly cancel?: AbortSignal;
}

/** Follows a command in simulated time, on an agent that answers like this. */
async function follow({ start, connect = [], helper = () => '', ...options }: Simulation) {
  const clock = fakeClock();
  const calls: Call[] = [];
  const left = { Start: [...start], Connect: [...connect] };
  const next = (streams: Stream[]) => (streams.length > 1 ? streams.shift() : streams[0]);
  const respond = (call: Call): AsyncIterable<Buffer> => {
    const isHelper = call.operation === 'Start' && call.mark === '';
    if (isHelper) return helperStream(helper(call.text));
    const streams = call.operation === 'Start' ? left.Start : left.Connect;
    const stream = next(streams) ?? assert.fail(call.operation);
    return stream(call, clock.sleep);
  };
  const record = (request: AgentRequest) => {
    const call = callOf(request, clock.now());
    calls.push(call);
    return call;
  };
  const client: Client = {
    async send(request) {
      record(request);
      return { label: '', status: 200, headers: {}, body: '{}' };
    },
    async receive(request, read) {
      const body = respond(record(request));
      const response = { label: 'POST', status: 200, headers: {}, body };
      const aborted = once(request.signal, 'abort').then(() => {
        throw new AgentError('cancelled', 'POST was cancelled.');
      });
      return await Promise.race([read(response), aborted]);
    },
    redact: text => text,
    [Symbol.asyncDispose]: async () => {},
  };
  const inputs = {
    ...parseInputs('run', REQUIRED.run),
    ...options.inputs,
    maxDuration: 3_600_000,
  };
  const lines: string[] = [];
  const output = lineSplitter(text => lines.push(...text.trimEnd().split('\n')));
  const never = new AbortController().signal;
  const context: Context = {
    workspace: '',
    cancel: options.cancel ?? never,
    killImminent: never,
    now: clock.now,
    clock: clock.now,
    sleep: clock.sleep,
    random: () => 0,
    redact: text => text,
    sandboxes: [],
    log: { line: () => {}, output: () => {}, debug: () => {}, warning: () => {} },
  };
  const result = await followCommand(commandToSend(inputs), inputs, client, context, output);
  output.end();
  const count = (operation: string) =>
    calls.filter(
      call => call.operation === operation && (operation !== 'Start' || call.mark !== ''),
    ).length;
  return { ...result, lines, calls, count, now: clock.now() };
}

function callOf({ path, body = [], timeout }: AgentRequest, at: number): Call {
  const bytes = Buffer.concat([...body]);
  const json = path.endsWith('/SendSignal') ? bytes : bytes.subarray(5);
  const { args, envs } = fieldsOf(fieldsOf(JSON.parse(String(json)))['process']);
  const { SANDBOX_SYNC_MARK: mark } = fieldsOf(envs);
  return {
    operation: path.replace(/^.*\//, ''),
    timeout,
    text: Array.isArray(args) ? String(args[2]) : '',
    mark: typeof mark === 'string' ? mark : '',
    at,
  };
}

async function* helperStream(text: string): AsyncGenerator<Buffer> {
  yield* [startFrame(7), outputFrame(text), endFrame(0), LAST_FRAME];
}

const STREAM_END = new AgentError('connection', 'POST failed.');

/** Sends frames, then breaks the connection. */
function lose(...frames: readonly Buffer[]): Stream {
  return async function* stream() {
    yield* frames;
    throw STREAM_END;
  };
}

/** Sends frames and ends the response. */
function send(...frames: readonly Buffer[]): Stream {
  return async function* stream() {
    yield* frames;
  };
}

function fail(error: AgentError): Stream {
  // oxlint-disable-next-line require-yield -- it fails before the first frame
  return async function* stream() {
    throw error;
  };
}

const FOREVER = 10 * 3600 * 1000;

/** Prints, then ends the script with 3, and the process with 5 after a while. */
function endAfter(ms: number): Stream {
  return async function* stream({ mark }, sleep) {
    yield startFrame(42);
    yield outputFrame(`text\n${mark}\tend\t3\t0:/\t2:/\t0\t GITHUB_SHA\t\nin the background\n`);
    await sleep(ms);
    yield endFrame(5);
    yield LAST_FRAME;
  };
}

describe('a script whose output is held open by something in the background', () => {
  test('a command has ended one second after its mark, with the exit code of the mark', async () => {
    const run = await follow({ start: [endAfter(FOREVER)] });
    assert.deepEqual(run.end, { kind: 'exited', code: 3 });
    assert.deepEqual([run.lines, run.endedAt, run.now], [['text'], 0, 1000]);
    assert.deepEqual([run.oomKills, run.script?.unsetVariables], [2, ['GITHUB_SHA']]);
    assert.deepEqual([run.count('Start'), run.count('Connect'), run.reconnects], [1, 0, 0]);
  });

  for (const [ms, code] of [
    [999, 5],
    [1001, 3],
  ] as const)
    test(`the end counts if the agent reports it within a second after the mark [${ms} ms]`, async () => {
      const { end } = await follow({ start: [endAfter(ms)] });
      assert.deepEqual(end, { kind: 'exited', code });
    });

  const ZOMBIES: Readonly<Record<string, number>> = {
    'ended 1024\n': 4,
    'a profile\nended 1024\n': 4,
    'ended 9\n': 137,
    'ended 139\n': 139,
    '': 3,
    'ended x\n': 3,
  };
  for (const [output, code] of Object.entries(ZOMBIES))
    test(`the exit code of the process wins over that of the mark [${output.trim()}]`, async () => {
      const helper = (text: string) => (text.includes('/proc/42/stat') ? output : '');
      const { end } = await follow({ start: [endAfter(FOREVER)], helper });
      assert.deepEqual(end, { kind: 'exited', code });
    });

  test('a lost connection after the mark is not opened again', async () => {
    const start: Stream = async function* stream({ mark }) {
      yield startFrame(42);
      yield outputFrame(`${mark}\tend\t3\t0:/\t0:/\t0\t\t\n`);
      throw STREAM_END;
    };
    const { end, count } = await follow({ start: [start] });
    assert.deepEqual([end, count('Connect')], [{ kind: 'exited', code: 3 }, 0]);
  });

  test('a mark that a lost connection swallowed is made up for by the exit code of the process', async () => {
    const open: Stream = async function* stream(_, sleep) {
      yield startFrame(42);
      await sleep(FOREVER);
    };
    const helper = () => 'ended 1024\n';
    const run = await follow({ start: [lose(startFrame(42))], connect: [open], helper });
    assert.deepEqual([run.end, run.reconnects], [{ kind: 'exited', code: 4 }, 1]);
  });

  test('the exit code of the process is asked for again if the connection is lost meanwhile', async () => {
    const open: Stream = async function* stream(_, sleep) {
      yield startFrame(42);
      await sleep(FOREVER);
    };
    let failures = 3;
    const helper = () => {
      failures -= 1;
      if (failures >= 0) throw STREAM_END;
      return 'ended 1024\n';
    };
    const run = await follow({ start: [lose(startFrame(42))], connect: [open], helper });
    assert.deepEqual([run.end, run.reconnects], [{ kind: 'exited', code: 4 }, 1]);
  });

  test('a process that goes on after a reconnect is followed', async () => {
    const connect = send(startFrame(42), outputFrame('b\n'), endFrame(0), LAST_FRAME);
    const run = await follow({
      start: [lose(startFrame(42), outputFrame('a'))],
      connect: [connect],
    });
    assert.deepEqual([run.end, run.lines], [{ kind: 'exited', code: 0 }, ['a', 'b']]);
  });
});

describe('reconnects', () => {
  const started = lose(startFrame(42));

  test('a command whose connection stays lost is connected to ten times', async () => {
    const run = await follow({ start: [started], connect: [lose()] });
    assert.equal(run.end.kind, 'lost');
    assert.deepEqual([run.count('Start'), run.count('Connect'), run.reconnects], [1, 10, 10]);
  });

  test('a reconnect without output or a keepalive counts against the ten, although it starts', async () => {
    const run = await follow({ start: [started], connect: [started] });
    assert.deepEqual([run.end.kind, run.count('Connect')], ['lost', 10]);
  });

  for (const [what, event] of Object.entries({
    output: outputFrame('x\n'),
    'a keepalive': frame({ event: { keepalive: {} } }),
  }))
    test(`a reconnect that brought something does not count against the ten [${what}]`, async () => {
      const end = send(startFrame(42), endFrame(0), LAST_FRAME);
      const connect = [...Array.from({ length: 25 }, () => lose(startFrame(42), event)), end];
      const run = await follow({ start: [started], connect });
      assert.deepEqual([run.end, run.reconnects], [{ kind: 'exited', code: 0 }, 26]);
      // The delays begin anew, too.
      assert.ok(run.now < 26_000, `${run.now} ms`);
    });

  for (const [timeout, expected] of [
    [1000, 30_000],
    [40_000, 40_000],
  ] as const)
    test(`a stream may pause for at least 30 s [${timeout}]`, async () => {
      const { calls } = await follow({ inputs: { timeout }, start: [endAfter(0)] });
      assert.deepEqual(
        calls.map(call => call.timeout),
        [expected],
      );
    });
});

describe('a start', () => {
  const done = send(startFrame(42), endFrame(0), LAST_FRAME);
  const refused = fail(new AgentError('unreachable', 'ECONNREFUSED', { hadNoEffect: true }));

  test('a start that had no effect is repeated', async () => {
    const run = await follow({ start: [refused, refused, done] });
    assert.deepEqual([run.end, run.count('Start')], [{ kind: 'exited', code: 0 }, 3]);
    assert.equal(run.reconnects, 0);
  });

  for (const retries of [0, 2])
    test(`a start is repeated as often as the input says [${retries}]`, async () => {
      const run = await follow({ inputs: { retries }, start: [refused] });
      assert.deepEqual([run.end.kind, run.count('Start')], ['not-started', retries + 1]);
    });

  test('a start that may have had an effect is not repeated', async () => {
    const run = await follow({ start: [lose(), done] });
    assert.deepEqual([run.end.kind, run.count('Start')], ['lost', 1]);
  });

  test('a start is not repeated once the step is cancelled', async () => {
    const cancel = new AbortController();
    const start: Stream = async function* stream(call, sleep) {
      cancel.abort();
      yield* refused(call, sleep);
    };
    const run = await follow({ start: [start, done], cancel: cancel.signal });
    assert.deepEqual([run.end.kind, run.count('Start')], ['not-started', 1]);
  });
});

test('processes that the kernel killed are counted by another process if the shell was one of them', async () => {
  const start: Stream = async function* stream({ mark }) {
    yield startFrame(42);
    yield outputFrame(`${mark}\tbegin\t1:/user\n`);
    yield signalFrame('killed');
  };
  const helper = (text: string) =>
    text === "cat '/sys/fs/cgroup/user/memory.events'" ? 'oom 9\noom_kill 4\n' : '';
  const run = await follow({ start: [start], helper });
  assert.deepEqual([run.end.kind, run.oomKills, run.script], ['killed', 3, undefined]);
  const unread = await follow({ start: [start] });
  assert.equal(unread.oomKills, undefined);
});

test('a stopped command has its last words, and those of its children after the end of the shell', async () => {
  const cancel = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const start: Stream = async function* stream({ mark }) {
    yield startFrame(42);
    cancel.abort();
    await ended;
    yield outputFrame(`last words\n${mark}\tend\t143\t0:/\t0:/\t0\t\t\nof a child\n`);
    yield endFrame(143);
  };
  const helper = (text: string) => {
    if (text.includes('kill -TERM')) end();
    return '';
  };
  const run = await follow({ start: [start], cancel: cancel.signal, helper });
  assert.deepEqual(run.end, { kind: 'stopped', by: 'cancellation' });
  assert.deepEqual(run.lines, ['last words', 'of a child']);
  assert.equal(run.count('SendSignal'), 1);
});

test('what ends a session is started again if the connection is lost, and the leader is killed in any case', async () => {
  const cancel = new AbortController();
  const start: Stream = async function* stream(_, sleep) {
    yield startFrame(42);
    cancel.abort();
    await sleep(5000);
    yield signalFrame('killed');
  };
  let failures = 2;
  const helper = () => {
    failures -= 1;
    if (failures >= 0) throw STREAM_END;
    return '';
  };
  const run = await follow({ start: [start], cancel: cancel.signal, helper });
  assert.deepEqual(run.end, { kind: 'stopped', by: 'cancellation' });
  const helpers = run.calls.filter(({ text }) => text.includes('kill -TERM'));
  assert.deepEqual([helpers.length, run.count('SendSignal')], [3, 1]);
});
