import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, failureInfoOf } from '../../src/agent/failure.ts';
import type { CommandEnd } from '../../src/command/follow.ts';
import type { CommandResult } from '../../src/command/run.ts';
import { hintsOn } from '../../src/report/command-hints.ts';
import { renderCommand } from '../../src/report/command-section.ts';
import { renderReport, reportJson } from '../../src/report/render.ts';
import { textsOf, withMarkup } from '../../src/report/section.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { COMMAND, measured, reading, report, runReport } from '../support/build-report.ts';

const failure = (error: AgentError) => failureInfoOf(error);
const error = failure(new AgentError('rejected', 'POST Start failed.', { hint: 'Check it.' }));
const killed: CommandEnd = { kind: 'killed', status: 'signal: killed' };
const lost: CommandEnd = { kind: 'lost', error };
const unstarted: CommandEnd = { kind: 'not-started', error };
const unstoppable: CommandEnd = {
  kind: 'lost',
  error: failure(new AgentError('cancelled', 'No.')),
};
const timedOut: CommandEnd = { kind: 'stopped', by: 'max-duration' };
const stopped: CommandEnd = { kind: 'stopped', by: 'cancellation' };
const exited = (code: number): CommandEnd => ({ kind: 'exited', code });

const EXITED = (code: number) => `\`npm test\` exited with ${code} after 3 min 12 s.`;
const UNSEEN = '`npm test` was not seen to end within 3 min 12 s. It may still be running.';
const SILENT: CommandResult = { ...COMMAND, lastLines: [] };

const FAILURES: Readonly<
  Record<string, readonly [CommandEnd, title: string, ...details: (string | RegExp)[]]>
> = {
  'an exit code of 1': [exited(1), EXITED(1)],
  'a signal, and no exit code': [
    killed,
    '`npm test` was ended after 3 min 12 s (`signal: killed`).',
  ],
  'an end without an exit code': [
    { kind: 'no-exit-code', status: '' },
    '`npm test` ended after 3 min 12 s, but the agent did not say with which exit code.',
  ],
  'a command that max-duration stopped': [
    timedOut,
    '`npm test` was stopped by max-duration after 3 min 12 s.',
  ],
  'a command that max-duration could not stop': [
    unstoppable,
    UNSEEN,
    'max-duration was over, but the sandbox did not stop it.',
  ],
  'a lost command, which may still be running': [lost, UNSEEN, 'POST Start failed.', 'Check it.'],
  'a command that was not started': [
    unstarted,
    '`npm test` was not started.',
    'POST Start failed.',
    'Check it.',
  ],
  'a file that is not executable': [exited(126), EXITED(126), /run `chmod \+x` first/],
  'a program that was not found': [exited(127), EXITED(127), /^A program was not found/],
  'a child that was killed, but not for memory': [exited(137), EXITED(137)],
  'a closed pipe': [exited(141), EXITED(141), /`set \+o pipefail`/],
};

for (const [name, [end, ...expected]] of Object.entries(FAILURES))
  test(`the summary of a run explains [${name}]`, () => {
    const { problems = [], level, done } = renderCommand({ ...SILENT, end }, false);
    assert.deepEqual([level, done, problems.length], ['failure', '', 1]);
    const lines = problems.flatMap(textsOf);
    assert.equal(lines.length, expected.length);
    for (const [index, line] of expected.entries())
      if (typeof line === 'string') assert.equal(lines[index], line);
      else assert.match(lines[index] ?? '', line);
  });

test('a command that exited with 0 is no problem', () => {
  const { problems, done } = renderCommand(COMMAND, false);
  assert.deepEqual([problems, done], [[], EXITED(0)]);
});

test('a lost connection is reported with its message as plain text and its hint with markup', () => {
  const { problems } = renderCommand({ ...COMMAND, end: lost }, false);
  const [title] = problems?.[0] ?? [];
  assert.deepEqual(problems, [[title, { text: 'POST Start failed.' }, withMarkup('Check it.')]]);
});

test('a title shows 60 characters of a long first line, without its backticks', () => {
  const long = { ...COMMAND, title: `\`${'x'.repeat(100)}`, end: exited(1) };
  const [title] = renderCommand(long, false).problems?.[0] ?? [];
  assert.equal(title?.text, `\`'${'x'.repeat(59)}…\` exited with 1 after 3 min 12 s.`);
});

test('the exit code is the title, and the failed gate a reason below it', () => {
  const { title, reasons } = renderReport(
    runReport(exited(1), { stats: measured([{ load: 2 }], ['load > 1']) }),
  );
  assert.equal(title.text, EXITED(1));
  assert.match(reasons.flatMap(textsOf).join('\n'), /^The gate failed: `load` 2 > 1\./m);
});

test('the title of a cancelled run says whether the command was stopped, or may still be running', () => {
  const titles = [stopped, unstarted, lost].map(
    end => renderReport(runReport(end, { cancelled: true })).title.text,
  );
  assert.deepEqual(titles, [
    'Cancelled. `npm test` was stopped after 3 min 12 s.',
    'Cancelled. Nothing was run.',
    `Cancelled. ${UNSEEN}`,
  ]);
});

// A <pre> may contain blank lines only in a separate block: one that begins with <p> ends at the
// first blank line (https://spec.commonmark.org/0.31.2/#html-blocks).
test('the summary shows the last lines escaped, in a block of their own, so that no line is Markdown', () => {
  const blocksOf = (...lastLines: string[]) =>
    renderCommand({ ...COMMAND, lastLines }, false).blocks?.map(({ html }) => html);
  assert.deepEqual(blocksOf('', '# b', '</pre><b>&', '\u001b[2J\u202e', '|\t|'), [
    '<p>Last lines of the output:</p>',
    '<pre>\n# b\n&lt;/pre&gt;&lt;b&gt;&amp;\n\\u{1b}[2J\\u{202e}\n|    |</pre>',
  ]);
  assert.deepEqual(blocksOf(), []);
});

test('the report has the command, with null for an exit code that nobody saw', () => {
  const lostRun = runReport(lost, {}, 2);
  const { command } = JSON.parse(reportJson(lostRun, renderReport(lostRun)));
  const { title, durationMs, lastLines } = COMMAND;
  const unseen = { end: 'lost', exitCode: null, status: '', reconnects: 2 };
  const others = { oomKills: 0, failed: null, unsetVariables: [], topPrograms: null };
  assert.deepEqual(command, { title, durationMs, lastLines, ...unseen, ...others });
});

const FAILED = { exitCode: 1, pipeline: [], line: 2, file: '', command: 'grep -c `x` /etc/passwd' };

const DETAILS: Readonly<Record<string, readonly [Partial<CommandResult>, ...lines: string[]]>> = {
  'the command that failed': [
    { failed: FAILED },
    "Line 2: `grep -c 'x' /etc/passwd` exited with 1.",
  ],
  'the parts of a pipeline': [
    { failed: { ...FAILED, pipeline: [0, 1, 0] } },
    'Line 2: the parts of a pipeline exited with 0, 1, 0.',
  ],
  'the file of a sourced script': [
    { failed: { ...FAILED, file: 'lib.sh', command: 'false' } },
    'Line 2 of `lib.sh`: `false` exited with 1.',
  ],
  'no line if bash has none': [
    { failed: { ...FAILED, line: undefined, command: 'false' } },
    '`false` exited with 1.',
  ],
  'no command that the title names': [{ failed: { ...FAILED, command: 'npm test' } }],
  'one process that the kernel killed': [
    { oomKills: 1 },
    'The kernel killed 1 process for memory.',
  ],
  'processes that the kernel killed, before all else': [
    { oomKills: 2, failed: { ...FAILED, command: 'false' } },
    'The kernel killed 2 processes for memory.',
    'Line 2: `false` exited with 1.',
  ],
  'the last three lines that say something': [
    { lastLines: ['a', 'b ', '', '---', '  c', `d${'x'.repeat(400)}`] },
    'b',
    'c',
    `d${'x'.repeat(299)}…`,
  ],
};
for (const [what, [fields, ...expected]] of Object.entries(DETAILS))
  test(`the annotation of a failed command has [${what}]`, () => {
    const { problems = [] } = renderCommand({ ...SILENT, end: exited(1), ...fields }, false);
    assert.deepEqual(problems.flatMap(textsOf).slice(1), expected);
  });

test('the summary shows the last lines once, above the figures of a failed command', () => {
  const parts = { stats: measured([reading(5, 20)]) };
  const lastLines = ['only line 1'];
  const failed = report({
    task: 'run',
    command: { ...COMMAND, lastLines, end: exited(1) },
    ...parts,
  });
  const summary = summaryOf(failed, renderReport(failed));
  assert.equal(summary.split('only line 1').length, 2);
  assert.ok(summary.indexOf('only line 1') < summary.indexOf('<table'));
  const passed = runReport(exited(0), parts);
  const other = summaryOf(passed, renderReport(passed));
  assert.ok(other.indexOf('<table') < other.indexOf('Last lines'));
});

const WINDOWS = /^A script has Windows line ends\./;
const AS_ROOT = /^Only root may write there: set `username: root`\.$/;
const NO_SUDO = /^The sandbox has no `sudo`\. To run commands as root/;
const DISK = /^The disk is full/;
type Hinted = Partial<CommandResult> & { readonly code?: number; readonly line?: string };
const HINTS: readonly (readonly [Hinted, hint?: RegExp])[] = [
  [{ code: 127, line: "./a.sh: line 1: $'\\r': command not found" }, WINDOWS],
  [{ code: 127, line: "bash: line 1: $'npm\\r': command not found" }, WINDOWS],
  [{ code: 127, line: "/usr/bin/env: 'bash\\r': No such file or directory" }, WINDOWS],
  [{ code: 127, line: 'bash: line 1: sudo: command not found' }, NO_SUDO],
  [{ code: 127, line: 'sh: 1: sudo: not found' }, NO_SUDO],
  [{ code: 127, line: 'bash: sudo: command not found', isRoot: true }, /so leave `sudo` out\.$/],
  [{ code: 127, line: 'bash: line 1: nope: command not found' }, /^A program was not found/],
  [{ line: "npm error EACCES: permission denied, mkdir '/usr/lib/node_modules'" }, AS_ROOT],
  [{ line: "cp: cannot create regular file '/opt/x': Permission denied" }, AS_ROOT],
  [{ line: 'bash: /etc/hosts: Permission denied' }, AS_ROOT],
  [{ line: 'bash: /etc/hosts: Permission denied', isRoot: true }],
  [{ line: 'bash: /home/user/x: Permission denied' }],
  [{ code: 126, line: 'bash: /usr/x: Permission denied' }, /run `chmod \+x` first/],
  [{ line: 'tar: write error: No space left on device' }, DISK],
  [{ line: 'Error: ENOSPC: no space left on device, write' }, DISK],
  [{ code: 134, line: 'FATAL ERROR: … JavaScript heap out of memory' }, /--max-old-space-size/],
  [{ code: 141 }, /`set \+o pipefail`/],
  [{ code: 137, oomKills: undefined }, /^Whether it was memory could not be told\./],
  [{ code: 137, oomKills: 1 }],
  [{ code: 1, oomKills: undefined }],
];
test('a failed command gets a hint that fits its exit code and its last line, or none', () => {
  for (const [{ code = 1, line = '', ...fields }, hint] of HINTS) {
    const command = { ...SILENT, lastLines: ['first', line], ...fields };
    const hints = hintsOn(command, code).map(({ text }) => text);
    assert.equal(hints.length, hint === undefined ? 0 : 1, line);
    if (hint !== undefined) assert.match(hints[0] ?? '', hint);
  }
});

test('a command that succeeded although the kernel killed a process gets a warning', () => {
  const { warnings = [], problems } = renderCommand({ ...COMMAND, oomKills: 2 }, false);
  assert.deepEqual(
    [problems, textsOf(warnings)],
    [[], ['The kernel killed 2 processes for memory.']],
  );
});

const UNSET: Readonly<Record<string, string>> = {
  GITHUB_SHA:
    'Unset in the sandbox: `GITHUB_SHA`. To pass them on, add lines such as `GITHUB_SHA=${{ github.sha }}` to `env`.',
  'GITHUB_OUTPUT RUNNER_OS GITHUB_REF_NAME':
    'Unset in the sandbox: `GITHUB_OUTPUT`, `RUNNER_OS`, `GITHUB_REF_NAME`. To pass them on, add lines such as `RUNNER_OS=${{ runner.os }}` to `env`.',
  GITHUB_OUTPUT:
    'Unset in the sandbox: `GITHUB_OUTPUT`. They lead to files of the runner. To get a value out of the sandbox, write a file and use `download`.',
};
for (const [names, expected] of Object.entries(UNSET))
  test(`a warning names variables of the runner that were unset in the sandbox [${names}]`, () => {
    const unsetVariables = names.split(' ');
    const { warnings = [] } = renderCommand({ ...COMMAND, unsetVariables }, false);
    assert.deepEqual(textsOf(warnings), [expected]);
  });

const TOP_PROGRAMS = {
  at: Date.UTC(2026, 0, 5, 21, 23, 7),
  programs: [
    { name: 'node', count: 5, bytes: 1.7 * 2 ** 30 },
    { name: 'python3.11', count: 1, bytes: 294 * 2 ** 20 },
  ],
};

const TOP_LINE = 'Most memory at 21:23:07 UTC: `node` (5 processes) 1.7 GiB, `python3.11` 294 MiB';

const ON_CPU = ['cpu_used_pct > 1', 'mem_used_pct > 80'];

interface Memory {
  readonly failIf?: readonly string[];
  readonly warnIf?: readonly string[];
  readonly oomKills?: number | undefined;
}

const SHORT: Readonly<Record<string, readonly [Memory, readonly string[]]>> = {
  'the gate fails on memory': [{ failIf: ['mem_used_pct > 50'] }, [TOP_LINE]],
  'the gate warns of memory': [{ warnIf: ['mem_used_pct > 50'] }, [TOP_LINE]],
  'the gate trips on the CPU, but not on memory': [{ failIf: ON_CPU }, []],
  'the kernel killed a process for memory': [{ oomKills: 1 }, [TOP_LINE]],
  'it cannot be told whether the kernel killed one': [{ oomKills: undefined }, []],
};

for (const [name, [given, facts]] of Object.entries(SHORT))
  test(`a report of run says whose memory it was only if the memory was short [${name}]`, () => {
    const { failIf = [], warnIf = [], oomKills } = { oomKills: 0, ...given };
    const stats = measured([reading(12, 75)], failIf, warnIf);
    const command = { ...COMMAND, oomKills, topPrograms: TOP_PROGRAMS };
    const rendered = renderReport(report({ task: 'run', command, stats }));
    assert.deepEqual(
      rendered.facts.filter(line => line.startsWith('Most')),
      facts,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(rendered.json.command)).topPrograms, TOP_PROGRAMS);
  });
