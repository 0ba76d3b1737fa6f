import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, failureInfoOf } from '../../src/agent/failure.ts';
import type { CommandEnd } from '../../src/command/follow.ts';
import { renderCommand } from '../../src/report/command-section.ts';
import { renderReport, reportJson } from '../../src/report/render.ts';
import { textsOf, withMarkup } from '../../src/report/section.ts';
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
const KILLED = /^Something killed it, perhaps because the memory was full\./;

const FAILURES: Readonly<
  Record<string, readonly [CommandEnd, title: string, ...details: (string | RegExp)[]]>
> = {
  'an exit code of 1': [exited(1), EXITED(1)],
  'a signal, and no exit code': [
    killed,
    '`npm test` was ended after 3 min 12 s (`signal: killed`).',
    KILLED,
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
  'a child that was killed': [exited(137), EXITED(137), KILLED],
  'a closed pipe': [exited(141), EXITED(141), /`set \+o pipefail`/],
};

for (const [name, [end, ...expected]] of Object.entries(FAILURES))
  test(`the summary of a run explains [${name}]`, () => {
    const { problems = [], level, done } = renderCommand({ ...COMMAND, end }, false);
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
  assert.match(reasons.flatMap(textsOf).join('\n'), /^The gate failed: `load` 2 > 1\./);
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
  const unseen = { end: 'lost', exitCode: null, status: '', reconnects: 2, topPrograms: null };
  assert.deepEqual(command, { title, durationMs, lastLines, ...unseen });
});

const TOP_PROGRAMS = {
  at: Date.UTC(2026, 0, 5, 21, 23, 7),
  programs: [
    { name: 'node', count: 5, bytes: 1.7 * 2 ** 30 },
    { name: 'python3.11', count: 1, bytes: 294 * 2 ** 20 },
  ],
};

const TOP_LINE = 'Most memory at 21:23:07 UTC: `node` (5 processes) 1.7 GiB, `python3.11` 294 MiB';

const TRIPPED = {
  'fails on memory': [['mem_used_pct > 50'], [], [TOP_LINE]],
  'warns of memory': [[], ['mem_used_pct > 50'], [TOP_LINE]],
  'trips on the CPU, but not on memory': [['cpu_used_pct > 1', 'mem_used_pct > 80'], [], []],
} as const;

for (const [name, [failIf, warnIf, facts]] of Object.entries(TRIPPED))
  test(`a report of run says whose memory it was only if the gate trips on memory: it ${name}`, () => {
    const stats = measured([reading(12, 75)], failIf, warnIf);
    const command = { ...COMMAND, topPrograms: TOP_PROGRAMS };
    const rendered = renderReport(report({ task: 'run', command, stats }));
    assert.deepEqual(
      rendered.facts.filter(line => line.startsWith('Most')),
      facts,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(rendered.json.command)).topPrograms, TOP_PROGRAMS);
  });
