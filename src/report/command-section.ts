import type { FailureInfo } from '../agent/failure.ts';
import type { CommandResult } from '../command/run.ts';
import type { TopPrograms } from '../command/top-programs.ts';
import { inlineCode, truncate } from '../text/escape.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
} from '../text/format.ts';
import { hintsOn, SIGKILL_CODE } from './command-hints.ts';
import { concat, type Html, html } from './html.ts';
import { type Reason, type RenderedSection, reasonOfFailure, withMarkup } from './section.ts';

export function renderCommand(result: CommandResult, cancelled: boolean): RenderedSection {
  const { title, end, durationMs, lastLines, reconnects, failed, unsetVariables } = result;
  const problem = problemOf(result, cancelled);
  const exitCode = exitCodeOf(result);
  return {
    level: exitCode === 0 ? 'success' : 'failure',
    problems: problem === undefined ? [] : [problem],
    done: problem === undefined ? describeEnd(result) : '',
    warnings: [
      ...warnOfReconnects(reconnects),
      ...(problem === undefined ? describeOomKills(result) : []),
      ...warnOfVariables(unsetVariables),
    ],
    outputs: {
      'exit-code': exitCode === undefined ? '' : String(exitCode),
      'duration-ms': String(durationMs),
    },
    blocks: outputBlocks(lastLines),
    json: {
      title,
      end: end.kind,
      exitCode: exitCode ?? null,
      status: end.kind === 'killed' || end.kind === 'no-exit-code' ? end.status : '',
      durationMs,
      lastLines,
      reconnects,
      oomKills: result.oomKills ?? null,
      failed: failed === undefined ? null : { ...failed, line: failed.line ?? null },
      unsetVariables,
      topPrograms: result.topPrograms ?? null,
    },
  };
}

export function describePrograms({ at, programs }: TopPrograms): string {
  const uses = programs.map(({ name, count, bytes }) => {
    const processes = count === 1 ? '' : ` (${formatNumber(count)} processes)`;
    return `${inlineCode(name)}${processes} ${formatBytes(bytes)}`;
  });
  return `Most memory at ${formatTime(at)}: ${uses.join(', ')}`;
}

function exitCodeOf({ end }: CommandResult): number | undefined {
  if (end.kind === 'killed') return -1;
  return end.kind === 'exited' ? end.code : undefined;
}

function describeEnd({ title, end, durationMs }: CommandResult): string {
  const name = formatCommand(title);
  const after = `after ${formatDuration(durationMs)}`;
  if (end.kind === 'not-started') return 'Nothing was run.';
  return end.kind === 'exited'
    ? `${name} exited with ${end.code} ${after}.`
    : `${name} was stopped ${after}.`;
}

/**
 * Explains why a command failed. If the step was cancelled, only reports a command that may still
 * be running.
 */
function problemOf(result: CommandResult, cancelled: boolean): Reason | undefined {
  const { title, end, durationMs } = result;
  const name = formatCommand(title);
  const duration = formatDuration(durationMs);
  const problem = (how: string, details: Reason = []) => [
    withMarkup(`${name} ${how}`),
    ...describeOomKills(result),
    ...details,
  ];
  switch (end.kind) {
    case 'exited': {
      const { code } = end;
      const details = [...describeFailed(result), ...lastWords(result), ...hintsOn(result, code)];
      return code === 0 ? undefined : problem(`exited with ${code} after ${duration}.`, details);
    }
    case 'killed': {
      const code = end.status === 'signal: killed' ? SIGKILL_CODE : -1;
      const details = [...lastWords(result), ...hintsOn(result, code)];
      return problem(`was ended after ${duration} (${inlineCode(end.status)}).`, details);
    }
    case 'no-exit-code':
      return problem(`ended after ${duration}, but the agent did not say with which exit code.`);
    case 'stopped':
      return cancelled
        ? undefined
        : problem(`was stopped by max-duration after ${duration}.`, lastWords(result));
    case 'lost': {
      const how = `was not seen to end within ${duration}. It may still be running.`;
      return problem(how, cancelled ? [] : whyUnseen(end.error));
    }
    case 'not-started':
      return cancelled ? undefined : problem('was not started.', whyUnseen(end.error));
  }
}

function describeOomKills({ oomKills = 0 }: CommandResult): Reason {
  if (oomKills === 0) return [];
  const processes = oomKills === 1 ? '1 process' : `${oomKills} processes`;
  return [{ text: `The kernel killed ${processes} for memory.` }];
}

function describeFailed({ title, failed }: CommandResult): Reason {
  if (failed === undefined || failed.command === title) return [];
  const { line, file, pipeline, command, exitCode } = failed;
  const inFile = file === '' ? '' : ` of ${inlineCode(file)}`;
  const place = line === undefined ? '' : `Line ${line}${inFile}: `;
  if (pipeline.length > 0)
    return [withMarkup(`${place}the parts of a pipeline exited with ${pipeline.join(', ')}.`)];
  const text = inlineCode(truncate(command, MAX_FAILED_COMMAND));
  return [withMarkup(`${place}${text} exited with ${exitCode}.`)];
}

const MAX_FAILED_COMMAND = 200;
const LAST_WORDS = 3;
const MAX_LAST_WORD = 300;

/** Returns the last lines of the output with letters or digits. */
function lastWords({ lastLines }: CommandResult): Reason {
  const telling = lastLines.filter(line => /[\p{L}\d]/u.test(line)).slice(-LAST_WORDS);
  return telling.map(line => ({
    text: truncate(line.trim(), MAX_LAST_WORD),
    isOutput: true as const,
  }));
}

function whyUnseen(error: FailureInfo): Reason {
  // The caller handles cancelled steps, so only `max-duration` can have cancelled the request.
  return error.kind === 'cancelled'
    ? [{ text: 'max-duration was over, but the sandbox did not stop it.' }]
    : reasonOfFailure(error);
}

function warnOfReconnects(count: number): Reason {
  if (count === 0) return [];
  const times = formatCount(count, 'time');
  return [{ text: `The connection was lost ${times}, so output of the command may be missing.` }];
}

// The runner's files for outputs and the like do not exist in the sandbox, whatever `env` has.
const FILES = /^GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY|WORKSPACE)$|^RUNNER_(TEMP|TOOL_CACHE)$/;

function warnOfVariables(names: readonly string[]): Reason {
  if (names.length === 0) return [];
  const list = names.map(inlineCode).join(', ');
  const line = names
    .filter(name => !FILES.test(name))
    .map(name => inlineCode(`${name}=\${{ ${name.toLowerCase().replace('_', '.')} }}`))[0];
  const advice =
    line === undefined
      ? 'They lead to files of the runner. To get a value out of the sandbox, write a file and use `download`.'
      : `To pass them on, add lines such as ${line} to \`env\`.`;
  return [withMarkup(`Unset in the sandbox: ${list}. ${advice}`)];
}

function outputBlocks(lastLines: readonly string[]): Html[] {
  if (lastLines.length === 0) return [];
  const lines = lastLines.map(line => html`${line.replaceAll('\t', '    ')}`);
  // Begin a block with <pre>: a blank line ends one that begins with <p> or <details>, and the rest
  // would become Markdown.
  return [html`<p>Last lines of the output:</p>`, html`<pre>${concat(lines, '\n')}</pre>`];
}

const MAX_TITLE = 60;

function formatCommand(title: string): string {
  return inlineCode(truncate(title, MAX_TITLE));
}
