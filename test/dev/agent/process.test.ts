import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, realpathSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
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
  [shell('true'), SUCCEEDED],
  [shell('exit 3'), failed('exit status 3', 3)],
  [shell('sh -c "kill -KILL \\$\\$"; exit $?'), failed('exit status 137', 137)],
  [shell('kill -KILL $$'), failed('signal: killed')],
  [shell('kill -TERM $$'), failed('signal: terminated')],
  [shell('kill -SEGV $$'), failed('signal: segmentation fault')],
  [{ process: { cmd: 'no-such-program' }, stdin: false }, failed('exit status 127', 127)],
  [shell('cat'), SUCCEEDED],
  [{ process: { cmd: 'printf', args: ['%s,', '$A b', ''] } }, SUCCEEDED, '$A b,,'],
  [shell('cd && pwd -P; echo $USER $LOGNAME'), SUCCEEDED, '{root}/home/user\nuser user\n'],
  [shell('pwd -P'), SUCCEEDED, '{root}/home/user\n'],
  [shell('pwd -P', { cwd: '~' }), SUCCEEDED, '{root}/home/user\n'],
  [shell('pwd -P', { cwd: '/home' }), SUCCEEDED, '{root}/home\n'],
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
  ['Start', shell('', { cwd: '/nope/' }), 'invalid_argument', "cwd '/nope/' does not exist"],
  ['Start', shell('', { cwd: 'a/../b' }), 'invalid_argument', "cwd '/home/user/b' does not exist"],
  ['Start', shell('', { cwd: '~bob' }), 'invalid_argument', 'cannot expand user-specific home dir'],
  [
    'Start',
    shell('', { envs: { A: '\0' } }),
    'invalid_argument',
    "error starting process '/bin/sh",
  ],
  ['Start', shell('x\0'), 'invalid_argument', "error starting process '/bin/sh -c x\0'"],
  ['Start', '{', 'invalid_argument', 'unmarshal message: '],
  ['Start', { process: { cmd: 5 } }, 'invalid_argument', 'invalid value'],
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

/** Starts a script that reports once that it is ready, and returns the events that follow. */
async function startReady(url: string, script: string, headers?: Record<string, string>) {
  const events = eventsOf(await openStream(url, 'Start', shell(script), headers));
  const { value: first } = await events.next();
  const { value: second } = await events.next();
  return { events, pid: Number(first?.start?.pid), ready: String(second?.stdout) };
}

test('a command of the stand-in outlives its connection, and can be followed by its process ID', {
  skip,
}, async () => {
  await using sandbox = await openShell();
  const { agent, root } = sandbox;
  const script = 'mkfifo pipe; echo ready; cat pipe; exit 4';
  const { events, pid } = await startReady(agent.url, script);
  await events.return(undefined);
  const follow = async () =>
    wholeStream(await openStream(agent.url, 'Connect', { process: { pid } }));
  const followed = openStream(agent.url, 'Connect', { process: { pid } });
  const response = await followed;
  await writeFile(path.join(root, 'home/user/pipe'), 'late');
  const others = [{ start: { pid } }, { end: failed('exit status 4', 4) }, { last: {} }];
  assert.deepEqual(await wholeStream(response), { others, stdout: 'late', stderr: '' });
  assert.deepEqual(await follow(), { others, stdout: '', stderr: '' });
  const signal = { process: { pid }, signal: 'SIGNAL_SIGKILL' };
  assert.equal((await callUnary(agent.url, 'SendSignal', signal)).status, 404);
});

for (const [signal, status] of [
  ['SIGNAL_SIGTERM', 'signal: terminated'],
  ['SIGNAL_SIGKILL', 'signal: killed'],
] as const)
  test(`the stand-in sends ${signal} to the process alone, and waits for no child that holds its output`, {
    skip,
  }, async t => {
    await using sandbox = await openShell();
    const { url } = sandbox.agent;
    const { events, pid, ready } = await startReady(url, 'sleep 60 & echo $!; wait');
    t.after(() => process.kill(Number(ready)));
    const answer = await callUnary(url, 'SendSignal', { process: { pid }, signal });
    assert.deepEqual(answer, { status: 200, text: '{}' });
    const rest: object[] = [];
    for await (const event of events) rest.push(event);
    assert.deepEqual(rest, [{ end: failed(status) }, { last: {} }]);
    assert.ok(process.kill(Number(ready), 0));
  });

test('a client of the stand-in that does not read blocks its command', { skip }, async () => {
  await using sandbox = await openShell();
  const { agent, root } = sandbox;
  const block = 'head -c 1000000 /dev/zero';
  const script = `n=0; while [ $n -lt 100 ]; do ${block}; n=$((n+1)); echo $n >progress; done`;
  const slow = await openStream(agent.url, 'Start', shell(script));
  // Time enough for the first command, if nothing blocked it.
  const fast = await openStream(agent.url, 'Start', shell('head -c 100000000 /dev/zero'));
  const lengths = [];
  for await (const { stdout } of eventsOf(fast)) lengths.push(stdout?.length ?? 0);
  assert.equal(
    lengths.reduce((sum, length) => sum + length),
    100_000_000,
  );
  assert.equal(Math.max(...lengths), 32 * 1024);
  const progress = await readFile(path.join(root, 'home/user/progress'), 'utf8');
  assert.ok(Number(progress) < 30, progress);
  await slow.body?.cancel();
});

test('the stand-in sends a keepalive when a command is silent', { skip }, async () => {
  await using sandbox = await openShell();
  const interval = { 'Keepalive-Ping-Interval': '1' };
  const script = 'mkfifo pipe; echo ready; cat pipe';
  const { events } = await startReady(sandbox.agent.url, script, interval);
  assert.deepEqual((await events.next()).value, { keepalive: {} });
  await writeFile(path.join(sandbox.root, 'home/user/pipe'), '');
  await events.return(undefined);
});

test('a stopped stand-in ends its commands', { skip }, async () => {
  await using sandbox = await openShell();
  const { agent, root } = sandbox;
  await startReady(agent.url, 'mkfifo pipe; echo ready; exec >pipe; echo open; exec sleep 60');
  const pipe = createReadStream(path.join(root, 'home/user/pipe'), 'utf8');
  await once(pipe, 'readable');
  await agent.close();
  // The pipe only ends when no process has it open.
  assert.equal(await text(pipe), 'open\n');
});
