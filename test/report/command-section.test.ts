import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, failureInfoOf } from '../../src/agent/failure.ts';
import type { CommandEnd } from '../../src/command/follow.ts';
import type { CommandResult } from '../../src/command/run.ts';
import { renderCommand } from '../../src/report/command-section.ts';
import { headlineOf, renderReport } from '../../src/report/render.ts';
import { linesOf } from '../../src/report/section.ts';
import { COMMAND, measured, runReport, summaryText } from '../support/build-report.ts';

const rejected = new AgentError('rejected', 'POST Start failed.', { hint: 'Check it.' });
const error = failureInfoOf(rejected);
const unstoppable = failureInfoOf(new AgentError('cancelled', 'No.'));
const killed: CommandEnd = { kind: 'killed', status: 'signal: killed' };
const unclear: CommandEnd = { kind: 'no-exit-code', status: '' };
const lost: CommandEnd = { kind: 'lost', error };
const notFound = new AgentError('sandbox-not-found', 'It was not found.');
const gone = { kind: 'lost', error: failureInfoOf(notFound) } as const;
const notStarted: CommandEnd = { kind: 'not-started', error };
const exited = (code: number): CommandEnd => ({ kind: 'exited', code });

const stopped = (by: 'max-duration' | 'cancellation'): CommandEnd => ({ kind: 'stopped', by });

const VERDICTS: Readonly<Record<string, readonly [CommandEnd, cancelled?: boolean]>> = {
  'exit code 1 after 3 min 12 s': [exited(1)],
  '`signal: killed` after 3 min 12 s': [killed],
  'unknown exit code after 3 min 12 s': [unclear],

  'the login shell ended before the command': [{ kind: 'not-run' }],
  'stopped by max-duration after 3 min 12 s': [stopped('max-duration')],
  'not seen to end within 3 min 12 s': [lost],
  'not started': [notStarted],
  'cancelled after 3 min 12 s': [stopped('cancellation'), true],
  'cancelled before it was started': [notStarted, true],
};
for (const [verdict, [end, cancelled = false]] of Object.entries(VERDICTS))
  test(`the verdict of a run says how its command ended, if that was seen [${verdict}]`, () => {
    const rendered = renderReport(runReport(end, { cancelled }));
    assert.equal(headlineOf(rendered), `npm test: ${verdict}`);
  });

test('a cancelled command that was not seen to end may still be running', () => {
  const command = { lastLines: [] };
  const { problems } = renderReport(runReport(lost, { cancelled: true, command }));
  const lines = ['Not seen to end within 3 min 12 s', 'It may still be running.'];
  assert.deepEqual(problems.map(linesOf), [lines]);
});

const FAILED = { exitCode: 1, pipeline: [], line: 2, file: '', command: 'grep -c `x` /etc/passwd' };

/** Returns the details of a command without output that exited with 1. */
function detailsOf(fields: Partial<CommandResult>): string[] {
  const command = { ...COMMAND, lastLines: [], end: exited(1), ...fields };
  const [, ...details] = renderCommand(command, false, []).problems.flatMap(linesOf);
  return details;
}

const DETAILS: Readonly<Record<string, readonly [Partial<CommandResult>, ...lines: string[]]>> = {
  'a command that max-duration could not stop': [
    { end: { kind: 'lost', error: unstoppable } },
    'It may still be running.',
    'max-duration ran out, but the sandbox did not stop it.',
  ],
  'why a command was lost': [
    { end: lost },
    'It may still be running.',
    'POST Start failed.',
    'Check it.',
  ],
  'that a sandbox is gone, where nothing runs any more': [
    { end: gone },
    'It was not found.',
    gone.error.hint,
  ],
  'why a command was not started': [{ end: notStarted }, 'POST Start failed.', 'Check it.'],
  'the parts of a pipeline': [
    { failed: { ...FAILED, pipeline: [0, 1, 0] } },
    'Line 2: the parts of a pipeline exited with 0, 1, 0.',
  ],
  'the file of a sourced script': [
    { failed: { ...FAILED, file: 'lib.sh', command: 'false' } },
    'Line 2 of `lib.sh`: `false` exited with 1.',
  ],
  'a failed command without a line, as bash below 5.1 has none': [
    { failed: { ...FAILED, line: undefined, command: 'false' } },
    '`false` exited with 1.',
  ],
  'nothing that the title says': [{ failed: { ...FAILED, command: 'npm test' } }],
  'the line that failed': [{ failed: FAILED }, "Line 2: `grep -c 'x' /etc/passwd` exited with 1."],
  'the last three lines that say something': [
    { lastLines: ['a', 'b ', '', '---', '  c', `d${'x'.repeat(400)}`] },
    'b',
    'c',
    `d${'x'.repeat(299)}…`,
  ],
  'the lines that name the cause, before what failed': [
    { failed: FAILED, lastLines: ['Error: no', ...Array(30).fill('down'), 'Node.js v24.0.0'] },
    'Error: no',
    "Line 2: `grep -c 'x' /etc/passwd` exited with 1.",
  ],
  'how a command that max-duration stopped can run longer, and no advice by its output': [
    { end: stopped('max-duration'), lastLines: ['sh: 1: sudo: not found'] },
    'sh: 1: sudo: not found',
    'To let it run longer, raise `max-duration`. If that is not set, raise the `lifetime` of the sandbox.',
  ],
};

for (const [name, [fields, ...lines]] of Object.entries(DETAILS))
  test(`the report of a failed command explains [${name}]`, () =>
    assert.deepEqual(detailsOf(fields), lines));

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
    const details = detailsOf({ end: exited(code), lastLines: ['-', line] });
    const others = details.filter(each => each !== line);
    assert.equal(others.length, advice === undefined ? 0 : 1);
    if (advice !== undefined) assert.match(others[0] ?? '', advice);
  });

test('whether it was memory could not be determined only after a SIGKILL without a count of kills', () => {
  const ends = [exited(137), killed, exited(1), { ...killed, status: 'signal: terminated' }];
  const says = ends.map(end => detailsOf({ end, oomKills: undefined })[0]?.slice(0, 46));
  const unknown = 'Whether it was memory could not be determined.';
  assert.deepEqual(says, [unknown, unknown, undefined, undefined]);
});

test('a command that succeeded although the kernel killed a process gets a warning', () => {
  const rendered = renderReport(runReport(exited(0), { command: { oomKills: 1 } }));
  const headline = 'npm test: exit code 0 after 3 min 12 s, 1 process killed for memory';
  assert.deepEqual([rendered.level, headlineOf(rendered)], ['warning', headline]);
});

test('the exit code is the verdict, and the failed gate a problem below it', () => {
  const stats = measured([{ load: 2 }], ['load > 1']);
  const { problems } = renderReport(runReport(exited(1), { stats }));
  const verdicts = problems.map(({ verdict }) => verdict);
  assert.deepEqual(verdicts, ['exit code 1 after 3 min 12 s', 'gate failed: `load` 2 > 1']);
});

// A <pre> may contain blank lines only in a separate block: one that begins with <p> ends at the
// first blank line (https://spec.commonmark.org/0.31.2/#html-blocks).
test('the summary shows the last lines escaped, in a block of their own, so that no line is Markdown', () => {
  const lastLines = ['', '# b', '</pre><b>&', '\u001b[2J\u202e', '|\t|'];
  const summary = summaryText(runReport(exited(3), { command: { lastLines } }));
  const pre = '<pre>\n# b\n&lt;/pre&gt;&lt;b&gt;&amp;\n\\u{1b}[2J\\u{202e}\n|    |</pre>';
  assert.ok(summary.includes(`\n\n<p>Last lines of the output:</p>\n\n${pre}\n\n`), summary);
});

test('the report of a run says whose memory it was, if that was seen', () => {
  const programs = [
    { name: 'node', count: 5, bytes: 1.7 * 2 ** 30 },
    { name: 'python3.11', count: 1, bytes: 294 * 2 ** 20 },
  ];
  const topPrograms = { at: Date.UTC(2026, 0, 5, 21, 23, 7), programs };
  const { facts, json } = renderCommand({ ...COMMAND, topPrograms }, false, []);
  const line = 'Most memory at 21:23:07 UTC: `node` (5 processes) 1.7 GiB, `python3.11` 294 MiB';
  assert.deepEqual(facts, [line]);
  assert.partialDeepStrictEqual(json, { topPrograms });
});

test('report.json has the command, without an exit code if nobody saw it', () => {
  const { json } = renderCommand({ ...COMMAND, end: lost, reconnects: 2 }, false, []);
  const { title, durationMs, lastLines } = COMMAND;
  const counts = { reconnects: 2, oomKills: 0, outputs: [] };
  const expected = { title, end: 'lost', durationMs, lastLines, ...counts };
  assert.deepEqual(JSON.parse(JSON.stringify(json)), expected);
});
