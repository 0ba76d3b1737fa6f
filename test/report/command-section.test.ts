import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, type Failure } from '../../src/agent/failure.ts';
import {
  type CommandEnd,
  type CommandSection,
  explainFailure,
  viewCommand,
} from '../../src/report/command-section.ts';
import { reportJson } from '../../src/report/report-json.ts';
import { verdictOf } from '../../src/report/verdict.ts';
import { judged, type Parts, report } from './build-report.ts';

const COMMAND: CommandSection = {
  title: 'npm test',
  exitCode: 0,
  status: 'exit status 0',
  durationMs: 192_000,
  lastLines: [],
};

const ended = (exitCode: number | undefined, more: object = {}): CommandEnd => {
  return {
    kind: 'ended',
    exitCode,
    status: `exit status ${exitCode}`,
    problem: undefined,
    ...more,
  };
};
const killed = ended(-1, { status: 'signal: killed' });
const error: Failure = new AgentError('rejected', 'POST Start failed.', { hint: 'Check it.' });
const lost: CommandEnd = { kind: 'lost', error };
const unstarted: CommandEnd = { kind: 'not-started', error };
const { cancellation, maxDuration } = {
  cancellation: 'cancellation',
  maxDuration: 'max-duration',
} as const;

const KILLED = /^Something killed it, perhaps because the memory was full\./;

interface Explained {
  readonly end: CommandEnd;
  readonly stoppedBy?: typeof cancellation | typeof maxDuration;
  /** By default, nothing failed. */
  readonly title?: string;
  readonly details?: readonly string[];
  readonly advice?: RegExp;
}

const EXPLAINED: Readonly<Record<string, Explained>> = {
  'an exit code of 0 is no failure': { end: ended(0) },
  'an exit code of 1 is reported': {
    end: ended(1),
    title: '`npm test` exited with 1 after 3 min 12 s.',
  },
  'a file that cannot be executed is advised to be made executable': {
    end: ended(126),
    title: '`npm test` exited with 126 after 3 min 12 s.',
    advice: /run `chmod \+x` first/,
  },
  'a command that was not found is told about PATH': {
    end: ended(127),
    title: '`npm test` exited with 127 after 3 min 12 s.',
    advice: /^A program was not found\. Install it/,
  },
  'a child that was killed is told to compare the memory': {
    end: ended(137),
    title: '`npm test` exited with 137 after 3 min 12 s.',
    advice: KILLED,
  },
  'a closed pipe is told about pipefail': {
    end: ended(141),
    title: '`npm test` exited with 141 after 3 min 12 s.',
    advice: /`set \+o pipefail`/,
  },
  'a signal is named, and no exit code': {
    end: killed,
    title: '`npm test` was ended after 3 min 12 s (`signal: killed`).',
    advice: KILLED,
  },
  'an end without an exit code is a failure': {
    end: ended(undefined),
    title: '`npm test` ended after 3 min 12 s, but the agent did not say with which exit code.',
  },
  'an exit code of 0 is a failure if the stream broke off after it': {
    end: ended(0, { problem: 'the connection was closed' }),
    title: '`npm test` exited with 0 after 3 min 12 s, but the stream broke off.',
    details: ['the connection was closed'],
  },
  'max-duration is named instead of the signal': {
    end: killed,
    stoppedBy: maxDuration,
    title: '`npm test` was stopped by max-duration after 3 min 12 s.',
  },
  'a command that exits with 0 once max-duration has stopped it is a failure': {
    end: ended(0),
    stoppedBy: maxDuration,
    title: '`npm test` was stopped by max-duration after 3 min 12 s.',
  },
  'a lost command may still be running': {
    end: lost,
    title: '`npm test` was not seen to end within 3 min 12 s. It may still be running.',
    details: ['POST Start failed.'],
    advice: /^Check it\.$/,
  },
  'a command that max-duration could not stop may still be running': {
    end: { kind: 'lost', error: new AgentError('cancelled', 'POST Start was cancelled.') },
    stoppedBy: maxDuration,
    title: '`npm test` was not seen to end within 3 min 12 s. It may still be running.',
    details: ['max-duration was over, but the sandbox did not stop it.'],
  },
  'a command that was not started is reported with the reason': {
    end: unstarted,
    title: '`npm test` was not started.',
    details: ['POST Start failed.'],
    advice: /^Check it\.$/,
  },
  'a cancelled command that ended is no failure of its own': {
    end: killed,
    stoppedBy: cancellation,
  },
  'a cancelled command that was not started is no failure of its own': {
    end: unstarted,
    stoppedBy: cancellation,
  },
  'a cancelled command that was not seen to end may still be running': {
    end: lost,
    stoppedBy: cancellation,
    title: '`npm test` was not seen to end within 3 min 12 s. It may still be running.',
  },
};

describe('explainFailure', () => {
  for (const [what, { end, stoppedBy, title, details = [], advice }] of Object.entries(EXPLAINED))
    test(what, () => {
      const [explained, ...others] = explainFailure(commandAfter(end), end, stoppedBy);
      assert.deepEqual(others, []);
      assert.equal(explained?.title, title);
      assert.equal(explained?.message, title);
      assert.deepEqual(explained?.details ?? [], details);
      const [said = '', ...more] = explained?.advice ?? [];
      assert.match(said, advice ?? /^$/);
      assert.deepEqual(more, []);
    });

  test('a title shows 60 characters of a long first line, without its backticks', () => {
    const section = { ...COMMAND, title: `\`${'x'.repeat(100)}`, exitCode: 1 };
    const [explained] = explainFailure(section, ended(1), undefined);
    assert.equal(explained?.title, `\`'${'x'.repeat(59)}…\` exited with 1 after 3 min 12 s.`);
  });
});

function commandAfter(end: CommandEnd): CommandSection {
  const { exitCode, status = '' } = end.kind === 'ended' ? end : {};
  return { ...COMMAND, exitCode, status };
}

/** Builds the report of a command that ended like this. */
function ran(end: CommandEnd, parts: Parts = {}, stoppedBy?: Explained['stoppedBy']) {
  const command = commandAfter(end);
  const errors = explainFailure(command, end, stoppedBy);
  const cancelled = stoppedBy === cancellation;
  return report({ task: 'run', command, errors, cancelled, ...parts });
}

test('an exit code other than 0 comes before a gate that failed, too', () => {
  const { title } = verdictOf(ran(ended(1), judged([{ load: 2 }], ['load > 1'])));
  assert.match(title, /^`npm test` exited with 1 after 3 min 12 s\. The gate failed/);
});

test('the verdict on a cancelled command says whether it was stopped, or may still be running', () => {
  const titles = [killed, lost].map(end => verdictOf(ran(end, {}, cancellation)).title);
  assert.deepEqual(titles, [
    'Cancelled. `npm test` was stopped after 3 min 12 s.',
    'Cancelled. `npm test` was not seen to end within 3 min 12 s. It may still be running.',
  ]);
});

describe('the last lines of the output', () => {
  const info = report({ task: 'run' });
  const blocksOf = (lastLines: readonly string[]) =>
    (viewCommand({ ...COMMAND, lastLines }, info).blocks ?? []).map(({ html }) => html);

  test('the summary has no block for a command without output', () => {
    assert.deepEqual(blocksOf([]), []);
  });

  // A <pre> ends at </pre>, but a <p> before it would end at the first blank line
  // (https://spec.commonmark.org/0.31.2/#html-blocks).
  test('the summary shows the last lines in a block of their own, so that no line is Markdown', () => {
    const [heading, block = '', ...others] = blocksOf(['a', '', '# b']);
    assert.equal(heading, '<p>Last lines of the output:</p>');
    assert.equal(block, '<pre>a\n\n# b</pre>');
    assert.deepEqual(others, []);
  });

  test('the summary escapes HTML and control characters in the last lines, and drops colors', () => {
    const [, block] = blocksOf(['\u001b[31m</pre><b>&\u001b[0m', '\u001b[2J\u202e', '|']);
    assert.equal(block, '<pre>&lt;/pre&gt;&lt;b&gt;&amp;\n\\u{1b}[2J\\u{202e}\n|</pre>');
  });

  test('the summary shows tabs in the last lines as spaces', () => {
    assert.equal(blocksOf(['\ta'])[1], '<pre>    a</pre>');
  });

  test('the summary cuts long lines of the output', () => {
    const [, block = ''] = blocksOf(Array.from({ length: 20 }, () => '<'.repeat(60_000)));
    assert.ok(block.length < 20 * 1300, `${block.length} characters`);
  });
});

test('the report has the command, with null for an exit code that nobody saw', () => {
  const given = ran(lost);
  const { command } = JSON.parse(reportJson(given, verdictOf(given)));
  assert.deepEqual(command, { ...COMMAND, exitCode: null, status: '' });
});
