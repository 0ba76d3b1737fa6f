import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closed, rawServer } from '../raw-server.ts';
import { unlessLinux, WITHOUT_SIGNALS } from '../system.ts';
import { openCommandJob, WITHOUT_BASH } from './command-job.ts';
import { expectFailure, type RunOptions } from './run-action.ts';

const skip = WITHOUT_BASH || WITHOUT_SIGNALS;

/** Cancels the job at the nth request for the stats. */
function cancelAtStats(nth: number): RunOptions {
  let count = 0;
  return {
    task: 'run',
    onRequest({ method }, signal) {
      if (method === 'GET') count += 1;
      if (method === 'GET' && count === nth) signal('SIGINT');
    },
  };
}

describe('a cancelled run', { concurrency: 3, skip }, () => {
  test('a run that is cancelled before its command starts nothing', async () => {
    await using job = await openCommandJob();
    const { errors, outputs } = await expectFailure(job, { run: 'true' }, cancelAtStats(1));
    assert.match(errors, /^Cancelled\.$/m);
    assert.deepEqual([outputs['exit-code'], outputs['duration-ms']], ['', '0']);
    assert.ok(job.agent.requests.every(({ url = '' }) => !url.endsWith('/Start')));
  });

  test('a run that is cancelled after the end of its command keeps the exit code', async () => {
    await using job = await openCommandJob();
    const { errors, outputs } = await expectFailure(job, { run: 'true' }, cancelAtStats(2));
    assert.match(errors, /^Cancelled\. true exited with 0 after/m);
    assert.equal(outputs['exit-code'], '0');
    const starts = job.agent.requests.filter(({ url = '' }) => url.endsWith('/Start'));
    assert.equal(starts.length, 1);
  });

  const onlyLinux = unlessLinux('sessions are read from /proc');
  test('a run that is cancelled stops children in groups of their own', {
    skip: onlyLinux,
  }, async () => {
    await using job = await openCommandJob();
    await using server = await rawServer(socket => void socket.resume());
    const connect = `exec 3<>/dev/tcp/${server.host.replace(':', '/')}; echo ready; sleep 1000`;
    const run = `timeout 1000 bash -c '${connect}'\ntrue`;
    const { errors, warnings, outputs } = await expectFailure(
      job,
      { run },
      {
        task: 'run',
        onLine(line, signal) {
          if (line === 'ready') signal('SIGINT');
        },
      },
    );
    assert.match(errors, /^Cancelled\. timeout 1000 .* was stopped after/m);
    assert.deepEqual([outputs['exit-code'], warnings], ['-1', '']);
    await server.connected(1);
    for (const socket of server.connections) await closed(socket);
  });
});
