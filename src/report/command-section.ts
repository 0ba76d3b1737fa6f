import type { FailureInfo } from '../agent/failure.ts';
import type { CommandResult } from '../command/run.ts';
import { inlineCode } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
} from '../text/format.ts';
import { cutEnd } from '../text/shorten.ts';
import { findCause } from './cause.ts';
import { renderScriptOutputs } from './script-outputs.ts';
import { type CommandOutput, explainFailure, type RenderedSection } from './section.ts';

/** `otherOutputs` are the names of the step's outputs besides those of the command. */
export function renderCommand(
  result: CommandResult,
  cancelled: boolean,
  otherOutputs: readonly string[],
): RenderedSection {
  const { end, outputs: fromScript, ...others } = result;
  const exitCode = exitCodeOf(result);
  const isCancelled = cancelled && (end.kind === 'stopped' || end.kind === 'not-started');
  const isFine = exitCode === 0 || isCancelled;
  const verdict = describeEnd(result, cancelled);
  const outputs = {
    'exit-code': exitCode === undefined ? '' : String(exitCode),
    'duration-ms': String(result.durationMs),
  };
  const ofScript = renderScriptOutputs(fromScript, [...Object.keys(outputs), ...otherOutputs]);
  const failure = { verdict, lines: explainEnd(result, cancelled), output: outputOf(result) };
  return {
    problems: [...(isFine ? [] : [failure]), ...ofScript.problems],
    done: isFine ? verdict : '',
    command: result.title,
    warnings: warnOfReconnects(result),
    hasWarned: isFine && (result.oomKills ?? 0) > 0,
    facts: describePrograms(result),
    outputs,
    scriptOutputs: ofScript.pairs,
    json: {
      ...others,
      end: end.kind,
      exitCode,
      outputs: ofScript.pairs.map(([name]) => name),
      ...('status' in end && { status: end.status }),
    },
  };
}

function exitCodeOf({ end }: CommandResult): number | undefined {
  if (end.kind === 'killed') return -1;
  return end.kind === 'exited' ? end.code : undefined;
}

function describeEnd(result: CommandResult, cancelled: boolean): string {
  const { end, durationMs } = result;
  const duration = [formatDuration(durationMs), ...describeOomKills(result)].join(', ');
  switch (end.kind) {
    case 'exited':
      return `exit code ${end.code} after ${duration}`;
    case 'killed':
      return `${inlineCode(end.status)} after ${duration}`;
    case 'not-run':
      return 'the login shell ended before the command';
    case 'no-exit-code':
      return `unknown exit code after ${duration}`;
    case 'stopped':
      return end.by === 'cancellation'
        ? `cancelled after ${duration}`
        : `stopped by max-duration after ${duration}`;
    case 'lost':
      return `not seen to end within ${duration}`;
    case 'not-started':
      return cancelled ? 'cancelled before it was started' : 'not started';
  }
}

function explainEnd(result: CommandResult, cancelled: boolean): string[] {
  const { end } = result;
  if (end.kind === 'not-run') return ['Look for `exec` or `exit` in the login profile.'];
  if (end.kind === 'lost' || end.kind === 'not-started') {
    const mayRun = end.kind === 'lost' && end.error.kind !== 'sandbox-not-found';
    const running = mayRun ? ['It may still be running.'] : [];
    return [...running, ...(cancelled ? [] : explainLoss(end.error))];
  }
  return [...describeFailed(result), ...adviceOn(result)];
}

function explainLoss(error: FailureInfo): string[] {
  // In a step that was not cancelled, only max-duration can have cancelled the request.
  return error.kind === 'cancelled'
    ? ['max-duration ran out, but the sandbox did not stop it.']
    : explainFailure(error);
}

function describeOomKills({ oomKills = 0 }: CommandResult): string[] {
  if (oomKills === 0) return [];
  return [`${oomKills} ${oomKills === 1 ? 'process' : 'processes'} killed for memory`];
}

const MAX_LINE = 300;

function describeFailed({ title, failed }: CommandResult): string[] {
  if (failed === undefined || failed.command === title) return [];
  const { line, file, pipeline, command, exitCode } = failed;
  const inFile = file === '' ? '' : ` of ${inlineCode(file)}`;
  const place = line === undefined ? '' : `Line ${line}${inFile}: `;
  if (pipeline.length > 0)
    return [`${place}the parts of a pipeline exited with ${pipeline.join(', ')}.`];
  const text = inlineCode(cutEnd(command, MAX_LINE));
  return [`${place}${text} exited with ${exitCode}.`];
}

const LAST_WORDS = 3;

function outputOf({ lastLines }: CommandResult): CommandOutput {
  // Lines with letters or digits say something.
  const lastWords = lastLines.filter(line => /[\p{L}\d]/u.test(line)).slice(-LAST_WORDS);
  const cut = (line: string) => cutEnd(line.trim(), MAX_LINE);
  return { lastLines, cause: findCause(lastLines).map(cut), lastWords: lastWords.map(cut) };
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

const RUN_LONGER =
  'To let it run longer, raise `max-duration`. If that is not set, raise the `lifetime` of the sandbox.';

const MORE_MEMORY = 'Use a template with more memory, or let less run at the same time.';

/** Says what to do about a failed command, by its last lines, or else by its exit code. */
function adviceOn({ end, lastLines, oomKills }: CommandResult): string[] {
  if (end.kind === 'stopped') return end.by === 'max-duration' ? [RUN_LONGER] : [];
  const isSigkill = end.kind === 'killed' && end.status === 'signal: killed';
  const code = end.kind === 'exited' ? end.code : isSigkill ? SIGKILL_CODE : -1;
  const find = () => OUTPUT_ADVICE.find(([line]) => lastLines.some(each => line.test(each)))?.[1];
  const advice = (code === NOT_EXECUTABLE ? undefined : find()) ?? CODE_ADVICE[code];
  if (advice !== undefined) return [advice];
  if (oomKills !== undefined && oomKills > 0) return [MORE_MEMORY];
  if (code !== SIGKILL_CODE || oomKills === 0) return [];
  return [
    'Whether it was memory could not be determined. Compare the peak of the memory with its size.',
  ];
}

function warnOfReconnects({ reconnects }: CommandResult): string[] {
  if (reconnects === 0) return [];
  const times = formatCount(reconnects, 'time');
  return [`The step connected again ${times}, so output of the command may be missing.`];
}

function describePrograms({ topPrograms }: CommandResult): string[] {
  if (topPrograms === undefined) return [];
  const uses = topPrograms.programs.map(({ name, count, bytes }) => {
    const processes = count === 1 ? '' : ` (${formatNumber(count)} processes)`;
    return `${inlineCode(name)}${processes} ${formatBytes(bytes)}`;
  });
  return [`Most memory at ${formatTime(topPrograms.at)}: ${uses.join(', ')}`];
}
