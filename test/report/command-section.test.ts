import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, failureInfoOf } from '../../src/agent/failure.ts';
import type { CommandEnd } from '../../src/command/follow.ts';
import type { CommandResult } from '../../src/command/run.ts';
import { renderCommand } from '../../src/report/command-section.ts';
import { renderReport } from '../../src/report/render.ts';
import { textsOf } from '../../src/report/section.ts';
import { COMMAND, measured, runReport } from '../support/build-report.ts';

const error = failureInfoOf(
  new AgentError('rejected', 'POST Start failed.', { hint: 'Check it.' }),
);
const unstoppable = failureInfoOf(new AgentError('cancelled', 'No.'));
const killed: CommandEnd = { kind: 'killed', status: 'signal: killed' };
const lost: CommandEnd = { kind: 'lost', error };
const exited = (code: number): CommandEnd => ({ kind: 'exited', code });

const EXITED = '`npm test` exited with 1 after 3 min 12 s.';
const UNSEEN = '`npm test` was not seen to end within 3 min 12 s. It may still be running.';
const FAILED = { exitCode: 1, pipeline: [], line: 2, file: '', command: 'grep -c `x` /etc/passwd' };

/** Returns the title and the details of a command without output that exited with 1. */
function linesOf(fields: Partial<CommandResult>): string[] {
  const command = { ...COMMAND, lastLines: [], end: exited(1), ...fields };
  return renderCommand(command, false).problems?.flatMap(textsOf) ?? [];
}

const FAILURES: Readonly<Record<string, readonly [Partial<CommandResult>, ...lines: string[]]>> = {
  'an exit code of 1': [{}, EXITED],
  'a signal, and no exit code': [
    { end: killed },
    '`npm test` was ended after 3 min 12 s (`signal: killed`).',
  ],
  'an end without an exit code': [
    { end: { kind: 'no-exit-code', status: '' } },
    '`npm test` ended after 3 min 12 s, but the agent did not say with which exit code.',
  ],
  'a command that max-duration stopped, without advice by its output': [
    { end: { kind: 'stopped', by: 'max-duration' }, lastLines: ['sh: 1: sudo: not found'] },
    '`npm test` was stopped by max-duration after 3 min 12 s.',
    'sh: 1: sudo: not found',
  ],
  'a command that max-duration could not stop': [
    { end: { kind: 'lost', error: unstoppable } },
    UNSEEN,
    'max-duration was over, but the sandbox did not stop it.',
  ],
  'a lost command, which may still be running': [
    { end: lost },
    UNSEEN,
    'POST Start failed.',
    'Check it.',
  ],
  'a command that was not started': [
    { end: { kind: 'not-started', error } },
    '`npm test` was not started.',
    'POST Start failed.',
    'Check it.',
  ],
  'a first line that is too long for a title, and has backticks': [
    { title: `\`${'x'.repeat(100)}` },
    `\`'${'x'.repeat(59)}…\` exited with 1 after 3 min 12 s.`,
  ],
  'the parts of a pipeline': [
    { failed: { ...FAILED, pipeline: [0, 1, 0] } },
    EXITED,
    'Line 2: the parts of a pipeline exited with 0, 1, 0.',
  ],
  'the file of a sourced script': [
    { failed: { ...FAILED, file: 'lib.sh', command: 'false' } },
    EXITED,
    'Line 2 of `lib.sh`: `false` exited with 1.',
  ],
  'a failed command without a line, as bash below 5.1 has none': [
    { failed: { ...FAILED, line: undefined, command: 'false' } },
    EXITED,
    '`false` exited with 1.',
  ],
  'only once what the title names': [{ failed: { ...FAILED, command: 'npm test' } }, EXITED],
  'processes that the kernel killed, before the line that failed': [
    { oomKills: 2, failed: FAILED },
    EXITED,
    'The kernel killed 2 processes for memory.',
    "Line 2: `grep -c 'x' /etc/passwd` exited with 1.",
  ],
  'the last three lines that say something': [
    { lastLines: ['a', 'b ', '', '---', '  c', `d${'x'.repeat(400)}`] },
    EXITED,
    'b',
    'c',
    `d${'x'.repeat(299)}…`,
  ],
};

for (const [name, [fields, ...expected]] of Object.entries(FAILURES))
  test(`the report of a failed command explains [${name}]`, () =>
    assert.deepEqual(linesOf(fields), expected));

/** An exit code, the last line of the output, and the advice. */
const ADVICE: readonly (readonly [code: number, line: string, advice?: RegExp])[] = [
  [127, "./a.sh: line 1: $'npm\\r': command not found", /Windows line ends/],
  [127, "/usr/bin/env: 'bash\\r': No such file or directory", /Windows line ends/],
  [127, 'bash: line 1: ./a.py: cannot execute: required file not found', /first line .* loader/],
  [127, 'bash: line 3: ./dist/test.sh: No such file or directory', /an earlier step uploads it/],
  [127, 'bash: line 1: sudo: command not found', /^The sandbox has no `sudo`/],
  [127, 'sh: 1: sudo: not found', /^The sandbox has no `sudo`/],
  [127, 'bash: line 1: nope: command not found', /^A program was not found/],
  [1, "npm error EACCES: permission denied, mkdir '/usr/lib/node_modules'", /^Only root may write/],
  [1, "cp: cannot create regular file '/opt/x': Permission denied", /^Only root may write there/],
  [1, 'bash: /home/user/x: Permission denied'],
  [
    126,
    'bash: /usr/x: Permission denied',
    /run `chmod \+x` first.* first line \(`#!`\) is missing/,
  ],
  [1, 'tar: write error: No space left on device', /^The disk is full/],
  [1, 'Error: ENOSPC', /^The disk is full/],
  [134, 'FATAL ERROR: … JavaScript heap out of memory', /--max-old-space-size/],
  [141, '-', /`set \+o pipefail`/],
  [137, '-'],
];
for (const [code, line, advice] of ADVICE)
  test(`a failed command gets advice that fits its exit code and its last line, or none [${line}]`, () => {
    const [, ...lines] = linesOf({ end: exited(code), lastLines: ['-', line] });
    const others = lines.filter(each => each !== line);
    assert.equal(others.length, advice === undefined ? 0 : 1);
    if (advice !== undefined) assert.match(others[0] ?? '', advice);
  });

test('whether it was memory could not be told only after a SIGKILL without a count of kills', () => {
  const ends = [exited(137), killed, exited(1), { ...killed, status: 'signal: terminated' }];
  const says = ends.map(end => linesOf({ end, oomKills: undefined })[1]?.slice(0, 40));
  const unknown = 'Whether it was memory could not be told.';
  assert.deepEqual(says, [unknown, unknown, undefined, undefined]);
});

test('a command that succeeded although the kernel killed a process gets a warning', () => {
  const { warnings = [], problems, done } = renderCommand({ ...COMMAND, oomKills: 1 }, false);
  assert.deepEqual(textsOf(warnings), ['The kernel killed 1 process for memory.']);
  assert.deepEqual([problems, done], [[], '`npm test` exited with 0 after 3 min 12 s.']);
});

test('the exit code is the title, and the failed gate a reason below it', () => {
  const stats = measured([{ load: 2 }], ['load > 1']);
  const { title, reasons } = renderReport(runReport(exited(1), { stats }));
  assert.equal(title.text, EXITED);
  assert.match(reasons.flatMap(textsOf).join('\n'), /^The gate failed: `load` 2 > 1\./m);
});

const CANCELLED: Readonly<Record<string, CommandEnd>> = {
  '`npm test` was stopped after 3 min 12 s.': { kind: 'stopped', by: 'cancellation' },
  'Nothing was run.': { kind: 'not-started', error },
  [UNSEEN]: lost,
};
for (const [title, end] of Object.entries(CANCELLED))
  test(`the title of a cancelled run says whether the command may still be running [${title}]`, () => {
    const rendered = renderReport(runReport(end, { cancelled: true }));
    assert.equal(rendered.title.text, `Cancelled. ${title}`);
  });

// A <pre> may contain blank lines only in a separate block: one that begins with <p> ends at the
// first blank line (https://spec.commonmark.org/0.31.2/#html-blocks).
test('the summary shows the last lines escaped, in a block of their own, so that no line is Markdown', () => {
  const lastLines = ['', '# b', '</pre><b>&', '\u001b[2J\u202e', '|\t|'];
  const { blocks = [] } = renderCommand({ ...COMMAND, lastLines }, false);
  const pre = '<pre>\n# b\n&lt;/pre&gt;&lt;b&gt;&amp;\n\\u{1b}[2J\\u{202e}\n|    |</pre>';
  assert.deepEqual(blocks, [{ html: '<p>Last lines of the output:</p>' }, { html: pre }]);
});

test('the report of a run says whose memory it was, if that was seen', () => {
  const programs = [
    { name: 'node', count: 5, bytes: 1.7 * 2 ** 30 },
    { name: 'python3.11', count: 1, bytes: 294 * 2 ** 20 },
  ];
  const topPrograms = { at: Date.UTC(2026, 0, 5, 21, 23, 7), programs };
  const { facts, json } = renderCommand({ ...COMMAND, topPrograms }, false);
  const line = 'Most memory at 21:23:07 UTC: `node` (5 processes) 1.7 GiB, `python3.11` 294 MiB';
  assert.deepEqual(facts, [line]);
  assert.partialDeepStrictEqual(json, { topPrograms });
});

test('report.json has the command, without an exit code if nobody saw it', () => {
  const { json } = renderCommand({ ...COMMAND, end: lost, reconnects: 2 }, false);
  const { title, durationMs, lastLines } = COMMAND;
  const counts = { reconnects: 2, oomKills: 0, unsetVariables: [] };
  const expected = { title, end: 'lost', durationMs, lastLines, ...counts };
  assert.deepEqual(JSON.parse(JSON.stringify(json)), expected);
});
