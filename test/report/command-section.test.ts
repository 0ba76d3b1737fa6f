import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, type FailureInfo } from '../../src/agent/failure.ts';
import { type CommandEnd, explainFailure, viewCommand } from '../../src/report/command-section.ts';
import { fullReason, reasonLines, withMarkup } from '../../src/report/reason.ts';
import { reportJson, verdictOf } from '../../src/report/verdict.ts';
import {
  COMMAND,
  commandEnd,
  measuredSection,
  report,
  runReport,
  type StoppedBy,
} from '../support/build-report.ts';

const killed = commandEnd(-1, 'signal: killed');
const error: FailureInfo = new AgentError('rejected', 'POST Start failed.', { hint: 'Check it.' });
const lost: CommandEnd = { kind: 'lost', error };
const unstarted: CommandEnd = { kind: 'not-started', error };
const unstoppable: CommandEnd = { kind: 'lost', error: new AgentError('cancelled', 'No.') };

const exited = (code: number) => `\`npm test\` exited with ${code} after 3 min 12 s.`;
const UNSEEN = '`npm test` was not seen to end within 3 min 12 s. It may still be running.';
const STOPPED = '`npm test` was stopped by max-duration after 3 min 12 s.';
const KILLED = /^Something killed it, perhaps because the memory was full\./;

type Case = readonly [
  name: string,
  end: CommandEnd,
  stoppedBy: StoppedBy,
  title?: string,
  detailOrAdvice?: readonly (string | RegExp)[],
];

const none = undefined;
const CASES: readonly Case[] = [
  ['an exit code of 0 is no failure', commandEnd(0), none],
  ['an exit code of 1 is reported', commandEnd(1), none, exited(1)],
  [
    'a signal is named, and no exit code',
    killed,
    none,
    '`npm test` was ended after 3 min 12 s (`signal: killed`).',
    [KILLED],
  ],
  [
    'an end without an exit code is a failure',
    commandEnd(none),
    none,
    '`npm test` ended after 3 min 12 s, but the agent did not say with which exit code.',
  ],
  ['max-duration is named instead of the signal', killed, 'max-duration', STOPPED],
  ['exit code 0 is a failure once max-duration is over', commandEnd(0), 'max-duration', STOPPED],
  [
    'a command that max-duration could not stop may still be running',
    unstoppable,
    'max-duration',
    UNSEEN,
    ['max-duration was over, but the sandbox did not stop it.'],
  ],
  ['a lost command may still be running', lost, none, UNSEEN, ['POST Start failed.', 'Check it.']],
  [
    'a command that was not started is reported with the reason',
    unstarted,
    none,
    '`npm test` was not started.',
    ['POST Start failed.', 'Check it.'],
  ],
  ['a cancelled command that ended is no failure of its own', killed, 'cancellation'],
  ['a cancelled command that was not started is no failure of its own', unstarted, 'cancellation'],
  ['a cancelled command that was lost may still be running', lost, 'cancellation', UNSEEN],
];

for (const [name, end, stoppedBy, title, others = []] of CASES)
  test(name, () => {
    const { errors } = runReport(end, {}, stoppedBy);
    assert.equal(errors[0]?.title, title);
    const lines = errors.map(fullReason).flatMap(reasonLines);
    const expected = title === none ? [] : [title, ...others];
    assert.equal(lines.length, expected.length);
    for (const [index, line] of expected.entries())
      if (typeof line === 'string') assert.equal(lines[index], line);
      else assert.match(lines[index] ?? '', line);
  });

const HINTS: Readonly<Record<string, readonly [exitCode: number, hint: RegExp]>> = {
  'a file that is not executable': [126, /run `chmod \+x` first/],
  'a program that was not found': [127, /^A program was not found/],
  'a child that was killed': [137, KILLED],
  'a closed pipe': [141, /`set \+o pipefail`/],
};

for (const [name, [exitCode, hint]] of Object.entries(HINTS))
  test(`exit code ${exitCode} gets a hint about ${name}`, () => {
    const [explained, ...others] = runReport(commandEnd(exitCode)).errors;
    const [line, ...more] = explained?.reason ?? [];
    assert.equal(explained?.title, exited(exitCode));
    assert.match(line?.text ?? '', hint);
    assert.deepEqual([others, more], [[], []]);
  });

test('a lost connection is reported with its message as plain text and its hint with markup', () => {
  const [explained] = runReport(lost).errors;
  assert.deepEqual(explained?.reason, [{ text: 'POST Start failed.' }, withMarkup('Check it.')]);
});

test('a title shows 60 characters of a long first line, without its backticks', () => {
  const section = { ...COMMAND, title: `\`${'x'.repeat(100)}`, exitCode: 1 };
  const [explained] = explainFailure(section, commandEnd(1), none);
  assert.equal(explained?.title, `\`'${'x'.repeat(59)}…\` exited with 1 after 3 min 12 s.`);
});

test('the title names the exit code before the failed gate', () => {
  const { title } = verdictOf(
    runReport(commandEnd(1), measuredSection([{ load: 2 }], ['load > 1'])),
  );
  assert.match(title, /^`npm test` exited with 1 after 3 min 12 s\. The gate failed/);
});

test('the verdict on a cancelled command says whether it was stopped, or may still be running', () => {
  const titles = [killed, lost].map(end => verdictOf(runReport(end, {}, 'cancellation')).title);
  assert.deepEqual(titles, [
    'Cancelled. `npm test` was stopped after 3 min 12 s.',
    'Cancelled. `npm test` was not seen to end within 3 min 12 s. It may still be running.',
  ]);
});

// A <pre> may contain blank lines only in a separate block: one that begins with <p> ends at the
// first blank line (https://spec.commonmark.org/0.31.2/#html-blocks).
test('the summary shows the last lines escaped, in a block of their own, so that no line is Markdown', () => {
  const blocksOf = (...lastLines: string[]) =>
    viewCommand({ ...COMMAND, lastLines }, report({ task: 'run' })).blocks?.map(({ html }) => html);
  assert.deepEqual(blocksOf('', '# b', '</pre><b>&', '\u001b[2J\u202e', '|\t|'), [
    '<p>Last lines of the output:</p>',
    '<pre>\n# b\n&lt;/pre&gt;&lt;b&gt;&amp;\n\\u{1b}[2J\\u{202e}\n|    |</pre>',
  ]);
  assert.deepEqual(blocksOf(), []);
});

test('the report has the command, with null for an exit code that nobody saw', () => {
  const lostRun = runReport(lost);
  const { command } = JSON.parse(reportJson(lostRun, verdictOf(lostRun)));
  assert.deepEqual(command, { ...COMMAND, exitCode: null, status: '' });
});
