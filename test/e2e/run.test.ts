import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readActionFile } from '../../dev/runner/action-file.ts';
import { openJobWithApi } from '../support/job-with-api.ts';
import {
  expectFailure,
  expectRunFailure,
  expectRunSuccess,
  expectSuccess,
} from '../support/run-action.ts';
import { SKIP_WITHOUT_BASH, skipUnlessLinux } from '../support/system.ts';
import { openJob, TOKEN } from '../support/test-job.ts';

describe('run', { concurrency: 3, skip: SKIP_WITHOUT_BASH }, () => {
  test('run shows the output of its command, and passes if it exits with 0', async () => {
    const run = 'echo out\necho err >&2\nprintf "\\033[32mgreen\\033[0m\\n\\nlast"';
    const { lines, outputs, report, summary } = await expectRunSuccess({ run });
    const shown = ['out', 'err', '\u001b[32mgreen\u001b[0m', '', 'last'];
    const at = lines.indexOf('out');
    assert.deepEqual(lines.slice(at, at + 5), shown);
    assert.match(lines[at - 1] ?? '', /^Running `echo out …` in sandbox sandbox1 at http/);
    assert.match(lines.at(-2) ?? '', /^echo out …: exit code 0 after \d+ m?s · CPU /);
    assert.equal(outputs['exit-code'], '0');
    assert.equal(outputs['duration-ms'], String(report.command.durationMs));
    assert.deepEqual(report.command.lastLines, ['out', 'err', 'green', '', 'last']);
    assert.match(summary, /^<p>✅ <code>echo out …<\/code>: exit code 0 after [^\n]*\n\n$/);
  });

  test('run fails with the exit code of its command, whatever .bash_logout does', async () => {
    await using job = await openJob({ runCommands: true });
    // Debian's .bash_logout also ends with a failing command, unless it clears the console.
    writeFileSync(path.join(job.root, 'home/user/.bash_logout'), '[ "$SHLVL" = none ] && true\n');
    const end = await expectFailure(job, { run: 'echo no; exit 3' }, { task: 'run' });
    const { errors, outputs, report, summary } = end;
    assert.match(errors, /^echo no; exit 3: exit code 3 after \d+ m?s\nno$/);
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
    assert.match(summary, /^<p>✅ <code>tests<\/code>: exit code 0 after/);
    assert.match(lines.at(-2) ?? '', /^tests: exit code 0 after/);
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
      /^The sandbox may end at [\d:]+ UTC, before max-duration \(1 h\) runs out\./m,
    );
  });

  test('run names the command that failed, and its last words', async () => {
    const run = '# A comment\n\necho "a\nb" >&2\ngrep -c nothing /etc/hosts\necho never';
    const { errors, report, lines } = await expectRunFailure({ run });
    const words = 'a\nb\n0\nLine 5: grep -c nothing /etc/hosts exited with 1.';
    assert.match(errors, new RegExp(`^echo "a …: exit code 1 after .*\\n${words}$`));
    const failed = { exitCode: 1, pipeline: [], line: 5, file: '' };
    assert.partialDeepStrictEqual(report.command, { failed, title: 'echo "a …' });
    assert.ok(lines.some(line => line.startsWith('Running `echo "a …`')));
  });

  test('run tells its command about the job, but no token, no path, and not GITHUB_ACTIONS', async () => {
    const told =
      'ACTOR BASE_REF EVENT_NAME HEAD_REF JOB REF REF_NAME REF_TYPE REPOSITORY REPOSITORY_OWNER RUN_ATTEMPT RUN_ID RUN_NUMBER SERVER_URL SHA WORKFLOW';
    const names = told.split(' ').map(name => `GITHUB_${name}`);
    const kept = ['GITHUB_TOKEN', 'GITHUB_WORKSPACE', 'GITHUB_ACTIONS', 'ACTIONS_RUNTIME_TOKEN'];
    const env = Object.fromEntries([...names, ...kept].map(name => [name, `"${name}" of it`]));
    await using job = await openJob({ runCommands: true });
    const run = 'unset GITHUB_OUTPUT; env | grep -E "^(GITHUB|RUNNER|ACTIONS|CI)" >seen';
    await expectSuccess(job, { run, env: 'GITHUB_ACTOR=me' }, { task: 'run', env });
    const seen = readFileSync(path.join(job.root, 'home/user/seen'), 'utf8')
      .trim()
      .split('\n')
      .sort();
    const expected = names.map(name => `${name}=${name === 'GITHUB_ACTOR' ? 'me' : env[name]}`);
    assert.deepEqual(seen, ['CI=true', ...expected]);
  });

  test('run sets as outputs what its script writes to $GITHUB_OUTPUT, even if it fails', async () => {
    const run = `echo "version=1.2" >>"$GITHUB_OUTPUT"
cat >>"$GITHUB_OUTPUT" <<'TEXT'
notes<<END
a ${TOKEN}
::error::b
END
VERSION=1.3
TEXT
exit 3`;
    const { outputs, errors, lines, report } = await expectRunFailure({ run });
    assert.partialDeepStrictEqual(outputs, { VERSION: '1.3', notes: 'a ***\n::error::b' });
    assert.equal(outputs['exit-code'], '3');
    assert.doesNotMatch(errors, /outputs/);
    assert.ok(lines.includes('Outputs of the script: `VERSION`, `notes`'));
    assert.deepEqual(report.command.outputs, ['VERSION', 'notes']);
  });

  const WRONG: Readonly<Record<string, readonly [script: string, words: RegExp]>> = {
    'an output of the action itself': ['echo Gate=passed', /may get, outputs named Gate\./],
    'a reserved name': ['echo mem-used-x=1', /outputs named mem-used-x\. Choose other names/],
    'no pair': ['echo oops', /Line 2 of \$GITHUB_OUTPUT is neither .*: "oops"\./],
    'more than 1 MiB': ['head -c 1100000 /dev/zero | tr "\\0" x', /are larger than 1 MiB/],
  };
  for (const [what, [script, words]] of Object.entries(WRONG))
    test(`run fails, although its command succeeds, if a script writes to $GITHUB_OUTPUT [${what}]`, async () => {
      const run = `echo a=1 >>$GITHUB_OUTPUT\n${script} >>$GITHUB_OUTPUT`;
      const { errors, outputs } = await expectRunFailure({ run });
      assert.match(errors, /: not all outputs of the script are set\n/);
      assert.match(errors, words);
      assert.deepEqual([outputs['exit-code'], outputs['gate']], ['0', 'none']);
      assert.equal(outputs['a'], what === 'more than 1 MiB' ? undefined : '1');
    });

  test('run lets no script set an output that action.yml declares', async () => {
    const { outputs: declared } = await readActionFile(
      path.resolve(import.meta.dirname, '../../run'),
    );
    const names = declared.map(({ name }) => name.toUpperCase());
    const run = `printf '%s=forged\\n' ${names.join(' ')} >>"$GITHUB_OUTPUT"`;
    const { outputs } = await expectRunFailure({ run });
    assert.deepEqual(Object.keys(outputs).sort(), declared.map(({ name }) => name).sort());
    assert.ok(!Object.values(outputs).includes('forged'));
  });

  test('run fails if the file of $GITHUB_OUTPUT is deleted, unless the script does not mention it', async () => {
    const { errors } = await expectRunFailure({ run: 'rm "$GITHUB_OUTPUT"' });
    assert.match(errors, /Their file was deleted or cannot be read, or/);
    await expectRunSuccess({ run: 'rm $(printenv | sed -n "s/^GITHUB_OUT.*=//p")' });
  });

  test('run reads no outputs if env sets GITHUB_OUTPUT', async () => {
    await using job = await openJob({ runCommands: true });
    const run = 'echo a=1 >>"$GITHUB_OUTPUT"';
    const { outputs } = await expectSuccess(
      job,
      { run, env: 'GITHUB_OUTPUT=mine' },
      { task: 'run' },
    );
    assert.equal(outputs['a'], undefined);
    assert.equal(readFileSync(path.join(job.root, 'home/user/mine'), 'utf8'), 'a=1\n');
  });

  test('run fails if the login profile ends the shell before the command', async () => {
    await using job = await openJob({ runCommands: true });
    writeFileSync(path.join(job.root, 'home/user/.bash_profile'), 'exec true\n');
    const { errors, lines } = await expectFailure(job, { run: 'echo RAN' }, { task: 'run' });
    assert.match(errors, /^echo RAN: the login shell ended before the command\n/);
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
      /: stopped by max-duration after .*\n(Terminated\n)?last words\nTo let it run longer/,
    );
  });
});
