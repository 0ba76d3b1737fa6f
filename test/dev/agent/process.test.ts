import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { test } from 'node:test';
import { onWindows } from '../../system.ts';
import { openSandbox } from './opened.ts';
import { callUnary, eventsOf, openStream, shell, wholeStream } from './process-client.ts';

// Facts about envd 0.6.13, tried with one.

const skip = onWindows('there is no /bin/sh');
const openShell = () => openSandbox({ runCommands: true });
const authorization = (user: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}`,
});
const failed = (status: string, exitCode = -1) => ({
  exitCode,
  ...(exitCode >= 0 && { exited: true }),
  status,
  error: status,
});
const SUCCEEDED = { exited: true, status: 'exit status 0' };

/** Scripts, how they end, and their output. `{root}` is the sandbox's root on this machine. */
const SCRIPTS: readonly (readonly [
  message: object,
  end: object,
  output?: string,
  headers?: Record<string, string>,
])[] = [
  [shell('kill -KILL $$'), failed('signal: killed')],
  [{ process: { cmd: 'no-such-program' }, stdin: false }, failed('exit status 127', 127)],
  [{ process: { cmd: 'printf', args: ['%s,', '$A b', ''] } }, SUCCEEDED, '$A b,,'],
  [shell('cd && pwd -P; echo $USER $LOGNAME'), SUCCEEDED, '{root}/home/user\nuser user\n'],
  [shell('pwd -P', { cwd: '~' }), SUCCEEDED, '{root}/home/user\n'],
  [shell('pwd -P', { cwd: '../../..' }), SUCCEEDED, '{root}\n'],
  [shell('pwd -P'), SUCCEEDED, '{root}/root\n', authorization('root')],
  [shell('printf %s "$A"', { envs: { A: '"\n ü€', 'bad=x': 'y' } }), SUCCEEDED, '"\n ü€'],
];
for (const [message, end, output = '', headers = {}] of SCRIPTS) {
  const name = JSON.stringify([message, headers]);
  test(`the stand-in runs a command as envd does: ${name}`, { skip }, async () => {
    await using sandbox = await openShell();
    const { root, agent } = sandbox;
    const { others, stdout } = await wholeStream(
      await openStream(agent.url, 'Start', message, headers),
    );
    assert.deepEqual(others.slice(1), [{ end }, { last: {} }]);
    assert.ok(Number(others[0]?.start?.pid) > 0);
    assert.equal(stdout, output.replace('{root}', realpathSync(root)));
  });
}

test('the stand-in keeps stdout and stderr of a command apart', { skip }, async () => {
  await using sandbox = await openShell();
  const message = shell('echo out; echo err >&2');
  const { stdout, stderr } = await wholeStream(
    await openStream(sandbox.agent.url, 'Start', message),
  );
  assert.deepEqual([stdout, stderr], ['out\n', 'err\n']);
});

/** Streams that are refused, with the code and a part of the message. */
const REFUSED: readonly (readonly [
  operation: string,
  message: object | string,
  code: string,
  says: string,
  headers?: Record<string, string>,
])[] = [
  ['Start', shell('true'), 'unauthenticated', "invalid username: 'bob'", authorization('bob')],
  ['Start', shell('', { cwd: 'a/../b' }), 'invalid_argument', "cwd '/home/user/b' does not exist"],
  ['Start', shell('x\0'), 'invalid_argument', "error starting process '/bin/sh -c x\0'"],
  ['Start', '{', 'invalid_argument', 'unmarshal message: '],
  ['Connect', { process: { pid: 4e9 } }, 'not_found', 'process with pid 4000000000 not found'],
  ['Connect', {}, 'unimplemented', 'invalid input type'],
];
for (const [operation, message, code, says, headers = {}] of REFUSED) {
  const name = JSON.stringify([operation, message, headers]);
  test(`the stand-in refuses a stream in its last frame: ${name}`, async () => {
    await using sandbox = await openShell();
    const response = await openStream(sandbox.agent.url, operation, message, headers);
    assert.equal(response.status, 200);
    const { others } = await wholeStream(response);
    assert.deepEqual(
      others.map(({ last }) => last?.error?.code),
      [code],
    );
    assert.ok(others[0]?.last?.error?.message.includes(says));
  });
}

test('the stand-in answers SendSignal and what is no process operation by HTTP status', async () => {
  await using sandbox = await openShell();
  await using without = await openSandbox();
  const { url } = sandbox.agent;
  const nobody = { process: { pid: 4e9 }, signal: 'SIGNAL_SIGKILL' };
  const cases: readonly (readonly [number, RegExp, ...Parameters<typeof callUnary>])[] = [
    [404, /"not_found","message":"process with pid 4000000000 not/, url, 'SendSignal', nobody],
    [501, /"unimplemented"/, url, 'SendSignal', {}],
    [401, /"unauthenticated"/, url, 'SendSignal', nobody, authorization('bob')],
    [401, /"code":401,.*access token/, url, 'SendSignal', nobody, { 'X-Access-Token': 'wrong' }],
    [415, /^$/, url, 'SendSignal', nobody, { 'Content-Type': 'text/plain' }],
    [415, /^$/, url, 'Start', {}],
    [404, /^404 page not found$/, url, 'Update', {}],
    [404, /^404 page not found$/, without.agent.url, 'SendSignal', nobody],
  ];
  for (const [status, body, ...call] of cases) {
    const answer = await callUnary(...call);
    assert.equal(answer.status, status, JSON.stringify(call));
    assert.match(answer.text, body);
  }
  const wrongToken = await openStream(url, 'Start', shell('true'), { 'X-Access-Token': 'wrong' });
  assert.equal(wrongToken.status, 401);
});

test('the stand-in kills the process alone, and waits for no child that holds its output', {
  skip,
}, async t => {
  await using sandbox = await openShell();
  const { url } = sandbox.agent;
  const events = eventsOf(await openStream(url, 'Start', shell('sleep 60 & echo $!; wait')));
  const { value: started } = await events.next();
  const { value: printed } = await events.next();
  const child = Number(printed?.stdout);
  t.after(() => process.kill(child));
  const [pid, signal] = [started?.start?.pid, 'SIGNAL_SIGKILL'];
  const answer = await callUnary(url, 'SendSignal', { process: { pid }, signal });
  assert.deepEqual(answer, { status: 200, text: '{}' });
  const rest: object[] = [];
  for await (const event of events) rest.push(event);
  assert.deepEqual(rest, [{ end: failed('signal: killed') }, { last: {} }]);
  assert.ok(process.kill(child, 0));
});
