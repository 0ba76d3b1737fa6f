import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { endSessionScript, wrapScript } from '../../src/command/shell.ts';
import type { FailedCommand } from '../../src/command/trailer.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import { runScript } from '../support/run-script.ts';
import { SKIP_WITHOUT_BASH, skipUnlessLinux } from '../support/system.ts';
import { openTempFolder } from '../support/temp-folder.ts';

const skip = SKIP_WITHOUT_BASH || skipUnlessLinux('processes are read from /proc');

/** Everything that a shell, an agent or JSON could read as more than text. */
const ODD_TEXT = [
  `' '\\'' " "'"'"' it's "open`,
  '$HOME ${HOME:-x} $(echo no) `echo no` $((1 + 1)) $',
  '\\ \\\\ \\\' \\" \\n \\x41 \\0 %s %d a \\',
  ' continued\n\nafter a blank line\r\nafter a Windows line break\r',
  '\t\v\f\b\u0001\u001b[31m\u007f ü€ 漢字 العربية 👩‍👩‍👧',
  '! !! !$ !1 * ? [a-z] {a,b} ~root ; & && || | > < >> << ( ) { } #',
  "cat <<'X'\n$A\nX",
  '-n -e --',
  '\tend\t0\t0\t0\t\t',
  'trailing blanks   ',
].join('\n');

describe('the script that is sent', { concurrency: 3, skip }, () => {
  test('a script reaches bash exactly, whatever it is made of', async () => {
    const script = `cat /proc/$$/cmdline\n: <<'END OF TEXT'\n${ODD_TEXT}\nEND OF TEXT\n:   \n`;
    const { output, exitCode } = await runScript(script);
    const [, , , , received = ''] = output.split('\0');
    assert.deepEqual([received.split('EXIT; ')[1], exitCode], [script, 0]);
  });

  test('a script may be as long as Linux passes on, and is refused before anything is sent above', async () => {
    const id = 'x'.repeat(36);
    const longest = `exit 3 #${'x'.repeat(128 * 1024 - 1 - wrapScript('exit 3 #', id).length)}`;
    assert.equal((await runScript(longest)).exitCode, 3);
    const tooLong = (script: string) => () => wrapScript(script, id);
    assert.throws(tooLong(`${longest}x`), /run: is too long by 1 byte:/);
    assert.throws(tooLong("'".repeat(33_000)), /each ' counts as four bytes/);
    assert.throws(tooLong('€'.repeat(44_000)), InputError);
  });

  type Exit = readonly [script: string, exitCode: number, output: string];
  const BAD_SYNTAX = "bash: -c: line 1: syntax error near unexpected token `then'\n";
  const EXITS: Readonly<Record<string, Exit>> = {
    'blank lines at the end': ['printf "a\\n\\n\\n"', 0, 'a\n\n\n'],
    'no line break at the end': ['printf a', 0, 'a'],
    'a failing command': ['false; echo never', 1, ''],
    'a failing command before a pipe': ['exit 4 | cat; echo never', 4, ''],
    'a missing program': ['no-such', 127, 'bash: line 1: no-such: command not found\n'],
    'a trap on EXIT': ['trap "echo bye" EXIT; exit 5', 5, 'bye\n'],
    exec: ['exec sh -c "exit 6"', 6, ''],
    'closed output': ['exec >/dev/null 2>&1; echo a; exit 7', 7, ''],
    SIGKILL: ['kill -KILL $$', 137, ''],
    'SIGTERM to its group': ['trap "echo bye; exit 8" TERM; kill -TERM 0; sleep 9', 8, 'bye\n'],
    'a syntax error': ['if then', 2, BAD_SYNTAX],
    'input that nobody gives': ['cat; exit 9', 9, ''],
    'both streams': ['echo a; echo b >&2; echo c', 0, 'a\nb\nc\n'],
    'no arguments': ['echo "$# $0 ${REPLY-unset}"', 0, '0 bash unset\n'],
  };
  for (const [what, [script, exitCode, output]] of Object.entries(EXITS))
    test(`the shell reports the exit code and all output of a script with [${what}]`, async () => {
      const run = await runScript(script);
      assert.deepEqual([run.output, run.stderr, run.exitCode], [output, '', exitCode]);
      assert.equal(run.end?.exitCode, exitCode);
    });

  test('a script leads a session with its shell, and sees no variable of that shell', async () => {
    const { output, mark } = await runScript(
      'read -r _ _ _ _ _ session _ </proc/$$/stat; echo "$((session - PPID))"; set; env; cat /proc/$$/environ',
      { env: { id: '1', group: '2', name: '3', kills: '4', IFS: 'x' } },
    );
    assert.match(output, /^0$/m);
    assert.doesNotMatch(output, /SANDBOX_SYNC|__/);
    assert.ok(!output.includes(mark));
    for (const line of ['id=1', 'group=2', 'name=3', 'kills=4'])
      assert.match(output, new RegExp(`^${line}$`, 'm'));
  });

  test('BASH_ENV is read by the login shell and for the script, but not by the shell around it', async () => {
    using folder = openTempFolder();
    const env = { BASH_ENV: folder.at('env') };
    writeFileSync(env.BASH_ENV, 'echo read; f() { echo defined; }\n');
    const { output } = await runScript('f; printenv POSIXLY_CORRECT || echo bash', { env });
    assert.equal(output, 'read\nread\ndefined\nbash\n');
  });

  test('the end of a script arrives over a full pipe that a background process made non-blocking', async () => {
    using folder = openTempFolder();
    const go = folder.at('go');
    // Node makes its stdout non-blocking. The reader waits for the first `sleep` between two tries.
    const node = `node -e "process.stdout; fs.writeSync(3, '\\n'); setInterval(() => fs.existsSync('${go}') && process.exit(), 9)"`;
    const script = `exec 4>&1
{ ${node} 3>&1 >&4 & } | read -r
while printf %04095d 0 && echo; do :; done 2>/dev/null
while printf x; do :; done 2>/dev/null`;
    const read = `{ "$@"; : >${go}; } | { until [ -e ${go} ]; do :; done; cat; }`;
    const env = { 'BASH_FUNC_sleep%%': `() { : >${go}; command sleep "$@"; }` };
    const { end } = await runScript(script, { env, before: ['bash', '-c', read, 'bash'] });
    assert.equal(end?.exitCode, 0);
  });

  test('CI is true for a script unless it is set', async () => {
    const runs = [{}, { CI: 'no' }, { CI: '' }].map(env => runScript('printenv CI', { env }));
    const outputs = (await Promise.all(runs)).map(({ output }) => output);
    assert.deepEqual(outputs, ['true\n', 'no\n', '\n']);
  });
});

/** A script, and the parts of its failed command that must be named. Line 0 means no line. */
type Failing = readonly [
  script: string,
  line?: number,
  text?: string,
  more?: Partial<FailedCommand>,
];
const FAILURES: Readonly<Record<string, Failing>> = {
  'a command': ['echo a\n\nfalse\necho b', 3, 'false', { exitCode: 1 }],
  'a missing program': ['true\nno-such-program x', 2, 'no-such-program x', { exitCode: 127 }],
  arithmetic: ['i=0\n((i++))', 2, '((i++))'],
  'a test after a pipeline': ['true | true\n[[ a = b ]]', 2, '[[ a = b ]]'],
  'read without input': ['read -p "Go? " x', 1, 'read -p "Go? " x'],
  'a variable, unexpanded': ['TOKEN=abc\nfalse "$TOKEN"', 2, 'false "$TOKEN"'],
  'a function': ['f() {\n  echo in\n  false\n}\n\nf', 3, 'false', { file: '' }],
  'a pipeline': ['true\ntrue | (exit 3) | cat', 2, '', { exitCode: 3, pipeline: [0, 3, 0] }],
  'another IFS': ['IFS=:\nset -u\ntrue | false', 3, '', { pipeline: [0, 1] }],
  'a group with redirected output': ['{\n  echo a\n  false\n} >/dev/null', 3, 'false'],
  'a subshell': ['true\n(exit 3)', 2, '( exit 3 )', { exitCode: 3 }],
  'a command substitution': ['x=$(exit 7)', 1, 'x=$(exit 7)', { exitCode: 7 }],
  'a trap on EXIT': ['trap "echo bye" EXIT\nfalse', 2, 'false'],
  'a job in the background': ['false &\nwait $!', 2, 'wait $!'],
  'a very long text': [`false ${'€'.repeat(5000)}`, 1, '', { exitCode: 1 }],
  'a failure whose end a trap made a success of': ['trap "exit 0" EXIT\nfalse', 2],
  'a last a && b': ['echo a\n[ -f /nope ] && echo b', 0, '[ -f /nope ]', { exitCode: 1 }],
  'a last a && b in a loop': ['for i in 1; do (exit 3) && true; done', 0, '( exit 3 )'],
  'a pipeline before &&': ['false | true && true', 0, '', { exitCode: 1, pipeline: [1, 0] }],
  'a test before &&': ['true\n[[ a = b ]] && true', 0, '[[ a = b ]]'],
  'a group before &&': ['{ echo a; false && true; } >/dev/null', 0, 'false'],
  'the last command after set +e': ['set +e\nfalse', 0, 'false'],
  'a && b before a trap of its own on EXIT': ['trap "echo bye" EXIT\nfalse && true'],
  'a success': ['false && true\ntrue'],
  exec: ['exec sh -c "exit 3"'],
  'set +e': ['set +e\nfalse\nfalse | true\nexit 3'],
  conditions: ['if ! true; then :; fi; ! true; false || exit 4'],
  'an unset variable': ['set -u\necho $NOPE', 0, 'echo $NOPE'],
  'a syntax error': ['true\nif then'],
};

describe('the command that failed', { concurrency: 3, skip }, () => {
  for (const [what, [script, line, command, more]] of Object.entries(FAILURES))
    test(`bash names, or rightly does not name, the command that failed for [${what}]`, async () => {
      const env = { LC_ALL: 'C.UTF-8' };
      const { failed } = (await runScript(script, { env })).end ?? assert.fail();
      // All that the shell prints must stay below PIPE_BUF, to be written at once.
      assert.ok(Buffer.byteLength(failed?.command ?? '') < 1000);
      assert.deepEqual(failed?.pipeline ?? [], more?.pipeline ?? []);
      if (line === undefined) assert.equal(failed, undefined);
      else {
        const expected = { line: line || undefined, ...(command && { command }), ...more };
        assert.partialDeepStrictEqual(failed, expected);
      }
    });

  test('a command that failed in a sourced script is named with its file', async () => {
    using folder = openTempFolder();
    const file = folder.at('my script.sh');
    writeFileSync(file, 'true\nfalse\n');
    const { end } = await runScript(`. "${file}"`);
    assert.partialDeepStrictEqual(end?.failed, { line: 2, file, command: 'false' });
  });

  test('a redirected file and the trace of set -x stay free of what names the failed command', async () => {
    using folder = openTempFolder();
    const file = folder.at('out');
    await runScript(`{ echo a; false; } >"${file}" 2>&1`);
    for (const command of ['false', 'false && true']) {
      const { output } = await runScript(`cat "${file}"\nset -x\n${command}`);
      assert.equal(output, 'a\n+ false\n');
    }
  });
});

/** Runs a shell command in front of a program, in a mount namespace of its own. */
const unshare = (command: string) => ['unshare', '-m', 'sh', '-c', `${command} && exec "$@"`, 'sh'];
/** Mounts another cgroup file system with the counts of a cgroup whose memory was full twice. */
const FULL_MEMORY = unshare(
  'mount -t tmpfs none /sys/fs/cgroup && printf "oom 7\\noom_kill 2\\noom_group_kill 9\\n" >/sys/fs/cgroup/memory.events',
);
const SKIP_WITHOUT_MOUNTS =
  spawnSync('unshare', ['-m', 'true']).status !== 0 && 'mounting a file system needs root';

describe('a /tmp that cannot be written', { skip: SKIP_WITHOUT_MOUNTS }, () => {
  const MOUNTS = {
    'read-only': 'mount -t tmpfs -o ro none /tmp',
    full: 'mount -t tmpfs -o size=8k none /tmp && { cat /dev/zero >/tmp/full 2>/dev/null || :; }',
  };
  for (const [what, mount] of Object.entries(MOUNTS))
    test(`exit codes and output stay what they are if /tmp is [${what}]`, async () => {
      const before = unshare(mount);
      for (const [script, exitCode] of [
        ['true\necho a', 0],
        ['echo a; (exit 3); echo b', 3],
        ['f() { return 4; }; echo a; f', 4],
        ['trap "exit 5" EXIT; echo a; false | true', 5],
      ] as const) {
        const run = await runScript(script, { before });
        assert.deepEqual([run.output, run.stderr, run.exitCode], ['a\n', '', exitCode]);
        assert.deepEqual([run.end?.exitCode, run.end?.failed], [exitCode, undefined]);
      }
    });
});

test('a file of outputs that its user cannot read counts as gone', {
  skip: SKIP_WITHOUT_MOUNTS,
}, async () => {
  const before = ['setpriv', '--reuid=65534', '--clear-groups'];
  const script = 'rm "$GITHUB_OUTPUT"; (umask 777; : >"$GITHUB_OUTPUT")';
  const { end } = await runScript(script, { before });
  assert.deepEqual([end?.exitCode, end?.githubOutput, end?.size], [0, undefined, undefined]);
});

describe("the kernel's count of processes that it killed", { skip: SKIP_WITHOUT_MOUNTS }, () => {
  for (const [script, oomKills] of [
    ['echo "oom_kill 4" >/sys/fs/cgroup/memory.events; exit 1', 2],
    ['exit 137', 0],
    ['rm /sys/fs/cgroup/memory.events', undefined],
    ['echo "oom 1" >/sys/fs/cgroup/memory.events', undefined],
  ] as const)
    test(`the count is read before and after a script, without a process [${script}]`, async () => {
      const { end, output } = await runScript(script, { before: FULL_MEMORY });
      assert.deepEqual([output, end?.oomKills], ['', oomKills]);
    });
});

/**
 * Ends a session, and returns what the script for that has slept. A function takes the place of the
 * program, and only waits for the end of the shell.
 */
function endSession({ pid = 0 }: ChildProcess): string {
  const wait = `until [[ $(</proc/${pid}/stat) == *') Z '* ]]; do :; done`;
  const env = { ...process.env, 'BASH_FUNC_sleep%%': `() { echo "$@"; ${wait}; }` };
  return spawnSync('/bin/bash', ['-l', '-c', endSessionScript(pid)], { env }).stdout.toString();
}

describe('the script that ends a session', { concurrency: 3, skip }, () => {
  test('a script has its last words on TERM, and what ignores TERM gets KILL after 4 s', async () => {
    let slept = '';
    const script = `trap 'echo last words; exit 9' TERM
(trap "" TERM; echo ready; exec sleep 1000) &
sleep 1000`;
    const { output, end, exitCode } = await runScript(script, {
      onOutput(text, child) {
        if (text === 'ready\n') slept = endSession(child);
      },
    });
    assert.equal(slept, '1\n1\n1\n1\n');
    assert.match(output, /^ready\n[^]*last words\n$/);
    assert.deepEqual([end?.exitCode, exitCode], [9, 9]);
  });

  test('a session that ends at once is not waited for', async () => {
    let slept = '';
    await runScript('echo ready; exec sleep 100', {
      onOutput: (_, child) => void (slept = endSession(child)),
    });
    // The kernel may take a moment to end it.
    assert.ok(slept.length <= '1\n'.length, slept);
  });
});
