import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { rawServer } from '../support/raw-server.ts';
import { expectFailure, expectSuccess } from '../support/run-action.ts';
import { SKIP_WITHOUT_BASH, skipUnlessLinux } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

const skip = SKIP_WITHOUT_BASH || skipUnlessLinux('processes are ended by session');

/** Commands that leave something behind, which holds the output open. */
const COMMANDS: Readonly<Record<string, string>> = {
  'a program': 'sleep 1000 &',
  'endless output': 'yes &',
  'a program in a session of its own': `setsid tail -f --pid ${process.pid} /dev/null &`,
};

describe('a run that leaves something in the background', { concurrency: 3, skip }, () => {
  for (const [what, command] of Object.entries(COMMANDS))
    test(`run ends with its script, and with its exit code, if it leaves [${what}]`, async () => {
      await using job = await openJob({ runCommands: true });
      const run = `echo "the first"\n${command}\nexit 3`;
      const { stdout, outputs } = await expectFailure(job, { run }, { task: 'run' });
      assert.equal(outputs['exit-code'], '3');
      assert.match(stdout, /^the first$/m);
      const starts = job.agent.requests.filter(({ url }) => url.endsWith('/Start'));
      assert.equal(starts.length, 1);
    });

  test('a server that a run started serves the next run', async () => {
    await using job = await openJob({ runCommands: true });
    await using server = await rawServer(() => {});
    // It prints what it gets, so that it would end if the output were closed.
    const address = server.host.replace(':', '/');
    const run = `exec 3<>/dev/tcp/${address}
(while read -r line <&3; do echo "$line"; echo "got $line" >&3; done) &`;
    await expectSuccess(job, { run }, { task: 'run' });
    const [socket] = server.connections;
    assert.ok(socket);
    for (const line of ['a\n', 'b\n', 'c\n']) {
      socket.write(line);
      const [reply]: unknown[] = await once(socket, 'data');
      assert.equal(String(reply), `got ${line}`);
    }
  });
});
