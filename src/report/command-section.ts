import type { FailureInfo } from '../agent/failure.ts';
import type { CommandResult } from '../command/command.ts';
import type { WatchedCommand } from '../command/run.ts';
import type { TopPrograms } from '../command/top-programs.ts';
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

export function renderCommand(result: WatchedCommand, cancelled: boolean): RenderedSection {
  const { title, end, durationMs, lastLines, reconnects } = result;
  const problem = problemOf(result, cancelled);
  const exitCode = exitCodeOf(result);
  return {
    level: exitCode === 0 ? 'success' : 'failure',
    problems: problem === undefined ? [] : [problem],
    done: problem === undefined ? describeEnd(result) : '',
    warnings: warnOfReconnects(reconnects),
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
function problemOf(
  { title, end, durationMs }: CommandResult,
  cancelled: boolean,
): Reason | undefined {
  const name = formatCommand(title);
  const duration = formatDuration(durationMs);
  const problem = (how: string, details: Reason = []) => [withMarkup(`${name} ${how}`), ...details];
  switch (end.kind) {
    case 'exited':
      if (end.code === 0) return undefined;
      return problem(`exited with ${end.code} after ${duration}.`, adviceOn(end.code));
    case 'killed': {
      const advice = end.status === 'signal: killed' ? adviceOn(137) : [];
      return problem(`was ended after ${duration} (${inlineCode(end.status)}).`, advice);
    }
    case 'no-exit-code':
      return problem(`ended after ${duration}, but the agent did not say with which exit code.`);
    case 'stopped':
      return cancelled ? undefined : problem(`was stopped by max-duration after ${duration}.`);
    case 'lost': {
      const how = `was not seen to end within ${duration}. It may still be running.`;
      return problem(how, cancelled ? [] : whyUnseen(end.error));
    }
    case 'not-started':
      return cancelled ? undefined : problem('was not started.', whyUnseen(end.error));
  }
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

// Exit codes of Bash. Above 128, they mean that a signal killed a child process.
const ADVICE: Readonly<Record<number, string>> = {
  126: 'A file is not executable. Uploads carry no modes, so run `chmod +x` first.',
  127: 'A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.',
  137: 'Something killed it, perhaps because the memory was full. Compare the peak of the memory with its size.',
  141: 'A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first.',
};

function adviceOn(exitCode: number): Reason {
  const advice = ADVICE[exitCode];
  return advice === undefined ? [] : [withMarkup(advice)];
}
