import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { openJobWithApi } from '../support/job-with-api.ts';
import {
  expectFailure,
  expectRunFailure,
  expectRunSuccess,
  expectSuccess,
} from '../support/run-action.ts';
import { SKIP_WITHOUT_BASH, skipUnlessLinux } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

describe('run', { concurrency: 3, skip: SKIP_WITHOUT_BASH }, () => {
  test('run shows the output of its command, and passes if it exits with 0', async () => {
    const run = 'echo out\necho err >&2\nprintf "\\033[32mgreen\\033[0m\\n\\nlast"';
    const { lines, outputs, report, summary } = await expectRunSuccess({ run });
    const shown = ['out', 'err', '\u001b[32mgreen\u001b[0m', '', 'last'];
    const at = lines.indexOf('out');
    assert.deepEqual(lines.slice(at, at + 5), shown);
    assert.match(lines[at - 1] ?? '', /^Running `echo out …` in sandbox sandbox1 at http/);
    assert.match(lines.at(-2) ?? '', /^`echo out …` exited with 0 after \d+ m?s\.$/);
    assert.equal(outputs['exit-code'], '0');
    assert.equal(outputs['duration-ms'], String(report.command.durationMs));
    assert.deepEqual(report.command.lastLines, ['out', 'err', 'green', '', 'last']);
    assert.match(summary, /^<h3>✅[^]*<pre>out\nerr\ngreen\n\nlast<\/pre>/);
  });

  test('run fails with the exit code of its command', async () => {
    const { errors, outputs, report, summary } = await expectRunFailure({ run: 'echo no; exit 3' });
    assert.match(errors, /^echo no; exit 3 exited with 3 after \d+ m?s\.$/);
    assert.equal(outputs['exit-code'], '3');
    assert.deepEqual([report.command.exitCode, report.succeeded], [3, false]);
    assert.match(summary, /^<h3>❌/);
  });

  const ENDS: Readonly<Record<string, readonly [run: string, exitCode: number]>> = {
    'fails at the first command that fails': ['false\necho never', 1],
    'fails if a command before a pipe fails': ['exit 4 | cat\necho never', 4],
    'gives its command no input': ['cat\nexit 5', 5],
    'names the signal that ended its command': ['kill -KILL $$', -1],
  };
  for (const [what, [run, exitCode]] of Object.entries(ENDS))
    test(`run ${what}`, async () => {
      const { lines, outputs } = await expectRunFailure({ run });
      assert.equal(outputs['exit-code'], String(exitCode));
      assert.ok(!lines.includes('never'));
    });

  test('run keeps the exit code of its command, whatever .bash_logout does', async () => {
    await using job = await openJob({ runCommands: true });
    mkdirSync(path.join(job.root, 'home/user'), { recursive: true });
    // Debian's .bash_logout also ends with a failing command, unless it clears the console.
    writeFileSync(path.join(job.root, 'home/user/.bash_logout'), '[ "$SHLVL" = none ] && true\n');
    await expectSuccess(job, { run: 'true' }, { task: 'run' });
    const { outputs } = await expectFailure(job, { run: 'exit 3' }, { task: 'run' });
    assert.equal(outputs['exit-code'], '3');
  });

  test('run sets user, folder, variables and name', async () => {
    await using job = await openJob({ runCommands: true });
    mkdirSync(path.join(job.root, 'root/app'), { recursive: true });
    const env = `TEXT=it's "ü" $HOME\nEMPTY=`;
    const given = { username: 'root', 'working-directory': 'app', env, name: 'tests' };
    const run = 'pwd -P\nprintf "%s|%s|%s\\n" "$USER" "$TEXT" "${EMPTY-unset}"';
    const { lines, report, summary } = await expectSuccess(job, { run, ...given }, { task: 'run' });
    const at = lines.indexOf(path.join(job.root, 'root/app'));
    assert.equal(lines[at + 1], `root|it's "ü" $HOME|`);
    assert.deepEqual([report.name, report.command.title], ['tests', 'tests']);
    assert.match(summary, /^<h3>✅ <code>tests<\/code>: /);
  });

  test('run connects to the sandbox of the job, and says if it ends before max-duration', async () => {
    await using job = await openJobWithApi({ runCommands: true });
    await job.runSandbox({ lifetime: '30m' });
    const { stdout, exitCode } = await job.runAction('run', { run: 'echo "hello $USER"' });
    assert.equal(exitCode, 0, stdout);
    assert.match(stdout, /^hello user$/m);
    const limited = /^The sandbox may end at [\d:]+ UTC, before max-duration \((.*)\) is over\./m;
    assert.equal(limited.exec(stdout)?.[1], '1 h');
    const short = await job.runAction('run', { run: 'true', 'max-duration': '20m' });
    assert.doesNotMatch(short.stdout, /The sandbox ends/);
  });

  const skip = skipUnlessLinux('the process group is read from /proc');
  test('max-duration stops a command', { skip }, async () => {
    const { errors, outputs } = await expectRunFailure({ run: 'sleep 60', 'max-duration': '1s' });
    assert.match(errors, /^sleep 60 was stopped by max-duration after \d/);
    assert.equal(outputs['exit-code'], '');
  });
});
