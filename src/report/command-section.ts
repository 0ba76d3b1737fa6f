import type { CommandResult } from '../command/run.ts';
import { inlineCode, truncate } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
} from '../text/format.ts';
import { concat, type Html, html } from './html.ts';
import { type Reason, type RenderedSection, reasonOfFailure, withMarkup } from './section.ts';

export function renderCommand(result: CommandResult, cancelled: boolean): RenderedSection {
  const { end, ...others } = result;
  const exitCode = exitCodeOf(result);
  const isCancelled = cancelled && (end.kind === 'stopped' || end.kind === 'not-started');
  const isFine = exitCode === 0 || isCancelled;
  const sentence = describeEnd(result, cancelled);
  return {
    problems: isFine ? [] : [[withMarkup(sentence), ...detailsOf(result, cancelled)]],
    done: isFine ? sentence : '',
    warnings: [
      ...warnOfReconnects(result),
      ...(isFine ? describeOomKills(result) : []),
      ...warnOfVariables(result),
    ],
    facts: describePrograms(result),
    outputs: {
      'exit-code': exitCode === undefined ? '' : String(exitCode),
      'duration-ms': String(result.durationMs),
    },
    blocks: outputBlocks(result),
    json: {
      ...others,
      end: end.kind,
      exitCode,
      ...('status' in end && { status: end.status }),
    },
  };
}

function exitCodeOf({ end }: CommandResult): number | undefined {
  if (end.kind === 'killed') return -1;
  return end.kind === 'exited' ? end.code : undefined;
}

function describeEnd({ title, end, durationMs }: CommandResult, cancelled: boolean): string {
  const name = inlineCode(truncate(title, MAX_TITLE));
  const duration = formatDuration(durationMs);
  switch (end.kind) {
    case 'exited':
      return `${name} exited with ${end.code} after ${duration}.`;
    case 'killed':
      return `${name} was ended after ${duration} (${inlineCode(end.status)}).`;
    case 'not-run':
      return `${name} was not run: the login shell ended before it. Look for \`exec\` or \`exit\` in the login profile.`;
    case 'no-exit-code':
      return `${name} ended after ${duration}, but the agent did not say with which exit code.`;
    case 'stopped':
      return `${name} was stopped${end.by === 'max-duration' ? ' by max-duration' : ''} after ${duration}.`;
    case 'lost': {
      const isGone = end.error.kind === 'sandbox-not-found';
      const outlook = isGone ? '' : ' It may still be running.';
      return `${name} was not seen to end within ${duration}.${outlook}`;
    }
    case 'not-started':
      return cancelled ? 'Nothing was run.' : `${name} was not started.`;
  }
}

const MAX_TITLE = 60;

function detailsOf(result: CommandResult, cancelled: boolean): Reason {
  const { end } = result;
  if (end.kind !== 'lost' && end.kind !== 'not-started') {
    const what = [...describeOomKills(result), ...describeFailed(result)];
    return [...what, ...lastWords(result), ...adviceOn(result)];
  }
  if (cancelled) return [];
  // In a step that was not cancelled, only max-duration can have cancelled the request.
  return end.error.kind === 'cancelled'
    ? [{ text: 'max-duration was over, but the sandbox did not stop it.' }]
    : reasonOfFailure(end.error);
}

function describeOomKills({ oomKills = 0 }: CommandResult): Reason {
  if (oomKills === 0) return [];
  const processes = oomKills === 1 ? '1 process' : `${oomKills} processes`;
  return [{ text: `The kernel killed ${processes} for memory.` }];
}

const MAX_LINE = 300;

function describeFailed({ title, failed }: CommandResult): Reason {
  if (failed === undefined || failed.command === title) return [];
  const { line, file, pipeline, command, exitCode } = failed;
  const inFile = file === '' ? '' : ` of ${inlineCode(file)}`;
  const place = line === undefined ? '' : `Line ${line}${inFile}: `;
  if (pipeline.length > 0)
    return [withMarkup(`${place}the parts of a pipeline exited with ${pipeline.join(', ')}.`)];
  const text = inlineCode(truncate(command, MAX_LINE));
  return [withMarkup(`${place}${text} exited with ${exitCode}.`)];
}

const LAST_WORDS = 3;

/** Returns the last lines of the output with letters or digits. */
function lastWords({ lastLines }: CommandResult): Reason {
  const telling = lastLines.filter(line => /[\p{L}\d]/u.test(line)).slice(-LAST_WORDS);
  return telling.map(line => ({ text: truncate(line.trim(), MAX_LINE), isOutput: true }));
}

const BELOW_ROOT = '/(usr|etc|var|opt|root)\\b';

/** Advice by a line of the output. */
const OUTPUT_ADVICE: readonly (readonly [line: RegExp, advice: string])[] = [
  [
    /\\r'?: (command not found|No such file)|env: .*\\r/,
    "A script has Windows line ends. Remove them with `sed -i 's/\\r$//' FILE`, or keep them out of the repository with `* text=auto eol=lf` in .gitattributes.",
  ],
  [
    /: required file not found/,
    'The program in the first line of a script (`#!`), or the loader of a program, is not in the sandbox; or the script has Windows line ends.',
  ],
  [
    /^bash: (line \d+: )?\S*\/\S*: No such file or directory/,
    'The file, or the folder to write it to, is not in the sandbox. Check that an earlier step uploads it, and `working-directory`.',
  ],
  [
    /sudo: (command )?not found/,
    'The sandbox has no `sudo`. Leave it out, and if the command does not run as root, set `username: root`.',
  ],
  [
    new RegExp(`${BELOW_ROOT}.*permission denied|(EACCES|permission denied).*${BELOW_ROOT}`, 'i'),
    'Only root may write there: if the command does not run as root, set `username: root`.',
  ],
  [
    /no space left on device|ENOSPC/i,
    'The disk is full, or the folder is one in memory. Use a template with a larger disk.',
  ],
  [
    /heap out of memory/,
    "Node's own limit was reached, not that of the sandbox: set `NODE_OPTIONS=--max-old-space-size=…` in `env`.",
  ],
];

// Exit codes of Bash. Above 128, they mean that a signal killed a process.
const NOT_EXECUTABLE = 126;
const SIGKILL_CODE = 137;
const CODE_ADVICE: Readonly<Record<number, string>> = {
  [NOT_EXECUTABLE]:
    'A file is not executable. Uploads carry no modes, so run `chmod +x` first. If it is, the program in its first line (`#!`) is missing.',
  127: 'A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.',
  141: 'A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first.',
};

const RUN_LONGER = withMarkup(
  'To let it run longer, raise `max-duration`. If that is not set, raise the `lifetime` of the sandbox.',
);

/** Says what to do about a failed command, by its last lines, or else by its exit code. */
function adviceOn({ end, lastLines, oomKills }: CommandResult): Reason {
  if (end.kind === 'stopped') return end.by === 'max-duration' ? [RUN_LONGER] : [];
  const isSigkill = end.kind === 'killed' && end.status === 'signal: killed';
  const code = end.kind === 'exited' ? end.code : isSigkill ? SIGKILL_CODE : -1;
  const find = () => OUTPUT_ADVICE.find(([line]) => lastLines.some(each => line.test(each)))?.[1];
  const advice = (code === NOT_EXECUTABLE ? undefined : find()) ?? CODE_ADVICE[code];
  if (advice !== undefined) return [withMarkup(advice)];
  // With a count, describeOomKills() has already answered the question.
  if (code !== SIGKILL_CODE || oomKills !== undefined) return [];
  const text =
    'Whether it was memory could not be told. Compare the peak of the memory with its size.';
  return [{ text }];
}

function warnOfReconnects({ reconnects }: CommandResult): Reason {
  if (reconnects === 0) return [];
  const times = formatCount(reconnects, 'time');
  return [{ text: `The step connected again ${times}, so output of the command may be missing.` }];
}

function warnOfVariables({ unsetVariables }: CommandResult): Reason {
  if (unsetVariables.length === 0) return [];
  const list = unsetVariables.map(inlineCode).join(', ');
  const advice =
    'To pass a value in, add a line such as `GITHUB_SHA=${{ github.sha }}` to `env`. To get one out, write a file and use `download`.';
  return [withMarkup(`Unset in the sandbox: ${list}. ${advice}`)];
}

function describePrograms({ topPrograms }: CommandResult): string[] {
  if (topPrograms === undefined) return [];
  const uses = topPrograms.programs.map(({ name, count, bytes }) => {
    const processes = count === 1 ? '' : ` (${formatNumber(count)} processes)`;
    return `${inlineCode(name)}${processes} ${formatBytes(bytes)}`;
  });
  return [`Most memory at ${formatTime(topPrograms.at)}: ${uses.join(', ')}`];
}

function outputBlocks({ lastLines }: CommandResult): Html[] {
  if (lastLines.length === 0) return [];
  const lines = lastLines.map(line => html`${line.replaceAll('\t', '    ')}`);
  // Begin a block with <pre>: a blank line ends one that begins with <p> or <details>, and the rest
  // would become Markdown.
  return [html`<p>Last lines of the output:</p>`, html`<pre>${concat(lines, '\n')}</pre>`];
}
