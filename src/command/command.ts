import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { inlineCode, removeColors, truncate } from '../text/escape.ts';
import { lineSplitter } from '../text/lines.ts';
import { type FollowedCommand, followCommand, type SentCommand } from './follow.ts';
import type { ScriptEnd } from './mark.ts';

export interface CommandResult {
  /** The first line of the command that is no comment. */
  readonly title: string;
  readonly end: FollowedCommand['end'];
  /** From the start to the end; 0 if the command was not started. */
  readonly durationMs: number;
  /** The last 20 lines of the output, redacted and without colors. */
  readonly lastLines: readonly string[];
  /** How often the connection was lost, each time perhaps with some output. */
  readonly reconnects: number;
  /** How many processes the kernel killed for memory. Undefined if that could not be read. */
  readonly oomKills: number | undefined;
  readonly isRoot: boolean;
  /** The command of the script that failed, if bash named it. */
  readonly failed: ScriptEnd['failed'];
  /** Names like GITHUB_SHA that the script mentions, but that were unset. */
  readonly unsetVariables: readonly string[];
}

/** Runs the command and logs its output. `endedAt` is Unix time in milliseconds. */
export async function runCommand(
  sent: SentCommand,
  inputs: Inputs<'run'> & { readonly maxDuration: number },
  client: Client,
  context: Context,
): Promise<CommandResult & { readonly endedAt: number }> {
  const { sandboxId, baseUrl, run } = inputs;
  const { clock, now, redact, log } = context;
  const title = redact(titleOf(run));
  log.line(`Running ${inlineCode(title)} in sandbox ${sandboxId} at ${baseUrl}`);
  const output = keepLastLines(context);
  const startedAt = clock();
  const followed = await followCommand(sent, inputs, client, context, output);
  output.end();
  const { end, reconnects, oomKills, script, endedAt } = followed;
  return {
    title,
    end,
    durationMs: end.kind === 'not-started' ? 0 : Math.round(endedAt - startedAt),
    lastLines: output.lastLines(),
    reconnects,
    oomKills,
    isRoot: script?.isRoot ?? inputs.username === 'root',
    failed: script?.failed,
    unsetVariables: script?.unsetVariables ?? [],
    endedAt: Math.round(now() - clock() + endedAt),
  };
}

function titleOf(run: string): string {
  const [first = run, ...others] = run.split('\n').filter(line => !/^\s*(#|$)/.test(line));
  return others.length === 0 ? first.trim() : `${first.trim()} …`;
}

const MAX_LAST_LINES = 20;

// Far below 64 KiB, where lineSplitter() may cut a secret in half before it is redacted.
const MAX_LAST_LINE = 1000;

/** Logs the output, and keeps its end for the result, as a terminal would show it. */
function keepLastLines({ log, redact }: Pick<Context, 'log' | 'redact'>) {
  let last = '';
  const splitter = lineSplitter(text => {
    // The runner treats a lone \r as a line break.
    log.output(text.replaceAll('\r', '\n'));
    const lines = `${last}${text}`.split('\n').slice(-MAX_LAST_LINES - 1);
    // What follows a \r replaces the line before it.
    last = lines.map(line => line.replace(/^.*\r(?=.)/s, '')).join('\n');
  });
  const lastLines = () => {
    // Removing a color may join two halves of a secret, so redact afterwards.
    const text = redact(removeColors(last.replaceAll('\r', ''))).trimEnd();
    return text === '' ? [] : text.split('\n').map(line => truncate(line, MAX_LAST_LINE));
  };
  return { ...splitter, lastLines };
}
