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

  test('run fails with the exit code of its command, whatever .bash_logout does', async () => {
    await using job = await openJob({ runCommands: true });
    // Debian's .bash_logout also ends with a failing command, unless it clears the console.
    writeFileSync(path.join(job.root, 'home/user/.bash_logout'), '[ "$SHLVL" = none ] && true\n');
    const end = await expectFailure(job, { run: 'echo no; exit 3' }, { task: 'run' });
    const { errors, outputs, report, summary } = end;
    assert.match(errors, /^echo no; exit 3 exited with 3 after \d+ m?s\.\nno$/);
    assert.equal(outputs['exit-code'], '3');
    assert.deepEqual([report.command.exitCode, report.succeeded], [3, false]);
    assert.match(summary, /^<h3>❌/);
    await expectSuccess(job, { run: 'true' }, { task: 'run' });
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
    assert.deepEqual([report.name, report.command.title], ['tests', 'pwd -P …']);
    assert.match(summary, /^<h3>✅ <code>tests<\/code>: <code>pwd -P …<\/code> exited/);
    assert.match(lines.at(-2) ?? '', /^tests: `pwd -P …` exited with 0/);
  });

  test('run connects to the sandbox of the job, whose variables its own env overrides', async () => {
    await using job = await openJobWithApi({ runCommands: true });
    await job.runSandbox({ lifetime: '30m', env: 'A=1\nB=1' });
    const inputs = { run: 'echo "hello $USER $A$B"', env: 'B=2', 'max-duration': '1h' };
    const { stdout, exitCode } = await job.runAction('run', inputs);
    assert.equal(exitCode, 0, stdout);
    assert.match(stdout, /^hello user 12$/m);
    assert.match(
      stdout,
      /^The sandbox may end at [\d:]+ UTC, before max-duration \(1 h\) is over\./m,
    );
  });

  test('run names the command that failed, and its last words', async () => {
    const run = '# A comment\n\necho "a\nb" >&2\ngrep -c nothing /etc/hosts\necho never';
    const { errors, report, lines } = await expectRunFailure({ run });
    const words = 'Line 5: grep -c nothing /etc/hosts exited with 1.\na\nb\n0';
    assert.match(errors, new RegExp(`^echo "a … exited with 1 after .*\\n${words}$`));
    const failed = { exitCode: 1, pipeline: [], line: 5, file: '' };
    assert.partialDeepStrictEqual(report.command, { failed, title: 'echo "a …' });
    assert.ok(lines.some(line => line.startsWith('Running `echo "a …`')));
  });

  test('run warns of variables of the runner that are unset in the sandbox, and sets CI', async () => {
    const run = 'echo "CI=$CI $GITHUB_SHA $RUNNER_OS"';
    const { warnings, lines, report } = await expectRunSuccess({ run, env: 'RUNNER_OS=x' });
    assert.ok(lines.includes('CI=true  x'));
    assert.match(
      warnings,
      /^Unset in the sandbox: GITHUB_SHA\. .* GITHUB_SHA=\$\{\{ github\.sha \}\} to env\./,
    );
    assert.deepEqual(report.command.unsetVariables, ['GITHUB_SHA']);
  });

  test('run fails if the login profile ends the shell before the command', async () => {
    await using job = await openJob({ runCommands: true });
    writeFileSync(path.join(job.root, 'home/user/.bash_profile'), 'exec true\n');
    const { errors, lines } = await expectFailure(job, { run: 'echo RAN' }, { task: 'run' });
    assert.match(errors, /^echo RAN was not run: the login shell ended before it\./);
    assert.ok(!lines.includes('RAN'));
  });

  const skip = skipUnlessLinux('the process group is read from /proc');
  test('run starts and stops a command on an agent that accepts nothing but /bin/bash -l -c', {
    skip,
  }, async () => {
    const slow = { run: 'trap "echo last words" EXIT; sleep 60', 'max-duration': '1s' };
    const { errors, outputs } = await expectRunFailure(slow, { onlyShellCommands: true });
    assert.equal(outputs['exit-code'], '');
    assert.match(
      errors,
      /was stopped by max-duration after .*\n(Terminated\n)?last words\nTo let it run longer/,
    );
  });
});
