import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STALL } from '../support/faults.ts';
import {
  beginResponse,
  endResponse,
  errorFrame,
  LAST_FRAME,
  outputFrame,
  sendFrames,
  signalFrame,
  startFrame,
  wholeStream,
} from '../support/process-frames.ts';
import { closed, http, rawServer } from '../support/raw-server.ts';
import { expectFailure, type Signal } from '../support/run-action.ts';
import { expectScriptedFailure, inTurn, type Responder } from '../support/scripted-agent.ts';
import { SKIP_WITHOUT_BASH, SKIP_WITHOUT_SIGNALS, skipUnlessLinux } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

const skip = SKIP_WITHOUT_BASH || SKIP_WITHOUT_SIGNALS;

describe('a cancelled run', { concurrency: 3, skip }, () => {
  test('a run that is cancelled after the end of its command keeps the exit code', async () => {
    // With fail-if, the command waits for the first stats.
    const faults = [{ on: 'stats', skip: 1, do: STALL }] as const;
    await using job = await openJob({ runCommands: true, faults });
    let count = 0;
    const onRequest = (_: unknown, signal: Signal) => {
      count += 1;
      if (count === 2) signal('SIGINT');
    };
    const inputs = { run: 'true', 'fail-if': 'mem_used_pct > 90' };
    const { errors, outputs } = await expectFailure(job, inputs, { task: 'run', onRequest });
    assert.match(errors, /^true: exit code 0 after/m);
    assert.equal(outputs['exit-code'], '0');
  });

  test('a run that is cancelled stops its children, even in groups of their own', {
    skip: skipUnlessLinux('sessions are read from /proc'),
  }, async () => {
    await using job = await openJob({ runCommands: true });
    await using server = await rawServer(socket => void socket.resume());
    // Each process holds a connection open, which closes when the process ends.
    const connect = `exec 3<>/dev/tcp/${server.host.replace(':', '/')}; sleep 1000; true`;
    const run = `(${connect}) &\ntimeout 1000 bash -c '${connect}'\ntrue`;
    const onStart = (signal: Signal) => void server.connected(2).then(() => signal('SIGINT'));
    const { errors, warnings, outputs } = await expectFailure(
      job,
      { run },
      { task: 'run', onStart },
    );
    assert.match(errors, /: cancelled after/);
    assert.deepEqual([outputs['exit-code'], warnings], ['', '']);
    for (const socket of server.connections) await closed(socket);
  });

  test('a run that is cancelled stops its command as root, or as its user if there is no root', async () => {
    const { promise: killed, resolve: kill } = Promise.withResolvers<void>();
    const command: Responder = socket => {
      beginResponse(socket, [startFrame(42), outputFrame('ready\n')]);
      void killed.then(() => endResponse(socket, [signalFrame('terminated'), LAST_FRAME]));
    };
    const rootless = sendFrames(errorFrame('unauthenticated', "invalid user: 'root'"));
    const Start = inTurn(command, rootless, sendFrames(...wholeStream()));
    const SendSignal: Responder = socket => socket.write(http(200, '{}'), () => kill());
    const { calls, errors } = await expectScriptedFailure({
      processes: { Start, SendSignal },
      inputs: { username: 'me' },
      onLine: (line, signal) => line === 'ready' && signal('SIGINT'),
    });
    const basic = ['me', 'root', 'me'].map(user => `Authorization: Basic ${btoa(`${user}:`)}`);
    const sent = calls('Start').map(({ headers }) => headers.find(each => basic.includes(each)));
    assert.deepEqual(sent, basic);
    const [signal, ...others] = calls('SendSignal').map(({ body }) => JSON.parse(String(body)));
    assert.deepEqual([signal, others], [{ process: { pid: 42 }, signal: 'SIGNAL_SIGKILL' }, []]);
    assert.match(errors, /^npm test: cancelled after/);
  });
});
