import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import { AgentError } from '../../src/agent/failure.ts';
import { commandToSend, followCommand } from '../../src/command/follow.ts';
import { lineSplitter } from '../../src/command/output.ts';
import { INPUTS, type Inputs } from '../../src/inputs/inputs.ts';
import { parseInputs } from '../../src/inputs/parse-inputs.ts';
import { REQUIRED } from '../support/parse-inputs.ts';
import { endFrame, frame, LAST_FRAME, outputFrame, startFrame } from '../support/process-frames.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';

/** Yields the frames of a response. If it throws, the connection breaks after them. */
type Stream = (mark: string, sleep: (ms: number) => Promise<unknown>) => AsyncIterable<Buffer>;

interface Simulation {
  readonly inputs?: Partial<Inputs<'run'>>;
  /** Responses to starts of the command. The last one repeats. */
  readonly start: readonly Stream[];
  /** Responses to reconnects. The last one repeats. */
  readonly connect?: readonly Stream[];
  /** Returns the output of a later process, such as the one that ends the session. */
  readonly helper?: (script: string) => string;
  readonly cancel?: AbortSignal;
}

/** Follows a command in simulated time, on an agent that answers like this. */
async function follow({ start, connect = [], helper = () => '', ...others }: Simulation) {
  const { signal: never } = new AbortController();
  const { cancel = never } = others;
  const simulated = simulateAgent(undefined, { random: () => 0, cancel });
  const context = { ...simulated.context, killImminent: never };
  const sleep = (ms: number) => context.sleep(ms, never);
  const calls: ReturnType<typeof callOf>[] = [];
  const streams = { Start: [...start], Connect: [...connect] };
  const respond = ({ operation, script, mark }: ReturnType<typeof callOf>) => {
    if (operation === 'Helper')
      return send(startFrame(7), outputFrame(helper(script)), endFrame(0), LAST_FRAME)('', sleep);
    const left = operation === 'Start' ? streams.Start : streams.Connect;
    const stream = (left.length > 1 ? left.shift() : left[0]) ?? assert.fail(operation);
    return stream(mark, sleep);
  };
  const client: Client = {
    ...simulated.client,
    async send(request) {
      calls.push(callOf(request));
      return { label: '', status: 200, headers: {}, body: '{}' };
    },
    async receive(request, read) {
      const call = callOf(request);
      calls.push(call);
      const response = { label: 'POST', status: 200, headers: {}, body: respond(call) };
      const aborted = once(request.signal, 'abort').then(() => {
        throw new AgentError('cancelled', 'POST was cancelled.');
      });
      return await Promise.race([read(response), aborted]);
    },
  };
  const maxDuration = 3_600_000;
  const inputs = { ...parseInputs(INPUTS.run, REQUIRED.run), ...others.inputs, maxDuration };
  const lines: string[] = [];
  const output = lineSplitter(text => lines.push(...text.trimEnd().split('\n')));
  const result = await followCommand(commandToSend(inputs), inputs, client, context, output);
  const count = (operation: string) => calls.filter(call => call.operation === operation).length;
  return { ...result, lines, calls, count, now: context.now() };
}

/** Reads a request. `Helper` is the start of another process than the command: it has no mark. */
function callOf({ path, body = [], timeout }: AgentRequest) {
  const name = path.replace(/^.*\//, '');
  const json = Buffer.concat([...body]).toString();
  const { process } = JSON.parse(json.slice(json.indexOf('{')));
  const mark = String(process.envs?.SANDBOX_SYNC_MARK ?? '');
  const operation = name === 'Start' && mark === '' ? 'Helper' : name;
  return { operation, timeout, script: String(process.args?.[2]), mark };
}

const STREAM_END = new AgentError('connection', 'POST failed.');

const send = (...frames: readonly Buffer[]) => stream(() => frames);
const lose = (...frames: readonly Buffer[]) => stream(() => frames, STREAM_END);
const fail = (error: AgentError) => stream(() => [], error);

/** Sends frames, then breaks the connection if there is an error. */
function stream(frames: (mark: string) => readonly Buffer[], error?: AgentError): Stream {
  return async function* sendAll(mark) {
    yield* frames(mark);
    if (error !== undefined) throw error;
  };
}

/** Returns a helper that loses its connection some times, and is asked for a script like this. */
function flaky(losses: number, asked: RegExp, respond: () => string) {
  let left = losses;
  return (script: string) => {
    assert.match(script, asked);
    left -= 1;
    if (left >= 0) throw STREAM_END;
    return respond();
  };
}

const started = lose(startFrame(42));

const FOREVER = 10 * 3600 * 1000;

/** Prints, then ends the script with 3, and the process with 5 or another code after a while. */
function endAfter(ms: number, code = 5): Stream {
  return async function* stream(mark, sleep) {
    yield startFrame(42);
    yield outputFrame(`text\n${mark}\tend\t3\t0\t2\t\t\nof a child\n`);
    await sleep(ms);
    yield endFrame(code);
    yield LAST_FRAME;
  };
}

test('a command has ended one second after its trailer, with the exit code of the trailer', async () => {
  const run = await follow({ start: [endAfter(FOREVER)] });
  assert.deepEqual(run.end, { kind: 'exited', code: 3 });
  assert.deepEqual([run.lines, run.endedAt, run.now], [['text'], 0, 1000]);
  assert.equal(Buffer.concat(run.background).toString(), 'of a child\n');
  assert.equal(run.trailer.oomKills, 2);
  assert.deepEqual([run.count('Start'), run.count('Connect'), run.reconnects], [1, 0, 0]);
});

test('the end counts if the agent reports it within a second after the trailer, and so does output after the trailer', async () => {
  const { end, lines, background } = await follow({ start: [endAfter(999)] });
  assert.deepEqual([end, lines], [{ kind: 'exited', code: 5 }, ['text', 'of a child']]);
  assert.deepEqual(background, []);
  // Neither code may hide that the other says failure.
  const { end: unclear } = await follow({ start: [endAfter(0, 0)] });
  assert.deepEqual(unclear, { kind: 'exited', code: 3 });
});

test('a command whose background processes print without end keeps at most 1 MiB of their output', async () => {
  const start: Stream = async function* stream(mark, sleep) {
    yield outputFrame(`${mark}\tend\t0\t0\t0\t\t\n`);
    for (let count = 0; count < 40; count += 1) yield outputFrame('y\n'.repeat(16 * 1024));
    await sleep(FOREVER);
  };
  const { background } = await follow({ start: [start] });
  assert.equal(Buffer.concat(background).length, 1024 * 1024);
});

test('a lost connection after the trailer is not opened again', async () => {
  const endOf = (mark: string) => outputFrame(`${mark}\tend\t3\t0\t0\t\t\n`);
  const start = stream(mark => [startFrame(42), endOf(mark)], STREAM_END);
  const { end, count } = await follow({ start: [start] });
  assert.deepEqual([end, count('Connect')], [{ kind: 'exited', code: 3 }, 0]);
});

for (const [what, connect] of Object.entries({ fails: lose(), 'starts, and no more': started }))
  test(`a command whose connection stays lost is connected to for 3 minutes, soon after any outage [each ${what}]`, async () => {
    const run = await follow({ start: [started], connect: [connect] });
    assert.equal(run.end.kind, 'lost');
    // After 0.5 s, 1 s, 2 s and 4 s, every 5 s.
    assert.deepEqual([run.count('Start'), run.count('Connect'), run.now], [1, 39, 182_500]);
  });

const ZOMBIES = { 'Z 1024': 4, 'Z 0': 0, 'Z 9': 137 };
for (const [state, code] of Object.entries(ZOMBIES))
  test(`a script that ended during an outage has the exit code that the kernel keeps [${state}]`, async () => {
    // A process in the background holds the output open, so the agent reports no end.
    const connect: Stream = async function* stream(_, sleep) {
      yield startFrame(42);
      yield outputFrame('of a child\n');
      await sleep(FOREVER);
    };
    const helper = (script: string) => (/\/42\/stat/.test(script) ? `${state}\n140729\n` : '');
    const run = await follow({ start: [started], connect: [connect], helper });
    assert.deepEqual([run.end, run.reconnects], [{ kind: 'exited', code }, 1]);
    assert.deepEqual([run.count('Helper'), run.now], [1, 2500]);
  });

for (const state of ['S 0', 'Z', 'Z 0, but no kernel', 'cut: No such file or directory'])
  test(`a script that goes on after an outage is waited for [${state}]`, async () => {
    const connect: Stream = async function* stream(_, sleep) {
      yield startFrame(42);
      await sleep(5000);
      yield endFrame(3);
    };
    const helper = () => `${state.replace(', but no kernel', '\n0')}\n`;
    const run = await follow({ start: [started], connect: [connect], helper });
    assert.deepEqual(run.end, { kind: 'exited', code: 3 });
  });

test('a command whose process is gone is not connected to again', async () => {
  const gone = fail(new AgentError('rejected', 'It is not found.'));
  const run = await follow({ start: [started], connect: [gone] });
  assert.deepEqual([run.end.kind, run.count('Start'), run.count('Connect')], ['lost', 1, 1]);
});

for (const [what, event] of Object.entries({
  output: outputFrame('x\n'),
  'a keepalive': frame({ event: { keepalive: {} } }),
}))
  test(`a reconnect that brought something starts the 3 minutes and the delays anew [${what}]`, async () => {
    const end = send(startFrame(42), endFrame(0), LAST_FRAME);
    const outage = Array.from({ length: 30 }, () => lose());
    const connect = [...outage, lose(startFrame(42), event), ...outage, end];
    const run = await follow({ start: [started], connect });
    assert.deepEqual([run.end, run.reconnects], [{ kind: 'exited', code: 0 }, 62]);
    assert.equal(run.now, 2 * 142_500);
  });

test('a stream may pause for at least 30 s', async () => {
  const start = [endAfter(0)];
  const short = await follow({ inputs: { timeout: 1000 }, start });
  const long = await follow({ inputs: { timeout: 40_000 }, start });
  assert.deepEqual([short.calls[0]?.timeout, long.calls[0]?.timeout], [30_000, 40_000]);
});

const done = send(startFrame(42), endFrame(3), LAST_FRAME);
const refused = fail(new AgentError('unreachable', 'ECONNREFUSED', { hadNoEffect: true }));

const STARTS: Readonly<Record<string, readonly [start: Stream[], end: string, count: number]>> = {
  'as long as it had no effect': [[refused, refused, done], 'exited', 3],
  'as often as the input says': [[refused], 'not-started', 3],
  'not if it may have had an effect': [[lose(), done], 'lost', 1],
};
for (const [what, [start, end, count]] of Object.entries(STARTS))
  test(`the start of a command is repeated [${what}]`, async () => {
    const run = await follow({ inputs: { retries: 2 }, start });
    assert.deepEqual([run.end.kind, run.count('Start'), run.reconnects], [end, count, 0]);
  });

test('a command that has started is not started again, whatever the error says', async () => {
  const error = new AgentError('busy', 'It is unavailable.', { hadNoEffect: true });
  const start = [stream(() => [startFrame(42)], error), done];
  const run = await follow({ start, connect: [done] });
  assert.deepEqual([run.end.kind, run.count('Start'), run.count('Connect')], ['exited', 1, 1]);
});

test('a cancelled step starts nothing, and not once more', async () => {
  const cancel = new AbortController();
  const start: Stream = async function* stream(mark, sleep) {
    cancel.abort();
    yield* refused(mark, sleep);
  };
  for (const count of [1, 0]) {
    const run = await follow({ start: [start, done], cancel: cancel.signal });
    assert.deepEqual([run.end.kind, run.count('Start')], ['not-started', count]);
  }
});

test('a stopped command has its last words, those of its children after the end of the shell, and is killed in any case', async () => {
  const cancel = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const start: Stream = async function* stream(mark) {
    yield startFrame(42);
    cancel.abort();
    await ended;
    yield outputFrame(`last words\n${mark}\tend\t143\t0\t0\t\t\nof a child\n`);
    yield endFrame(143);
  };
  // What ends the session is started again if the connection is lost.
  const helper = flaky(2, /kill -TERM/, () => {
    end();
    return '';
  });
  const run = await follow({ start: [start], cancel: cancel.signal, helper });
  assert.deepEqual(run.end, { kind: 'stopped', by: 'cancellation' });
  assert.deepEqual(run.lines, ['last words', 'of a child']);
  assert.deepEqual([run.count('Helper'), run.count('SendSignal')], [3, 1]);
});
