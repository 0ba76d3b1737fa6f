import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { inlineCode, removeColors, truncate } from '../text/escape.ts';
import { lineSplitter } from '../text/lines.ts';
import { type CommandEnd, followCommand } from './follow.ts';

export interface CommandResult {
  /** The step's name, or the first line of the command. */
  readonly title: string;
  readonly end: CommandEnd;
  /** From the start to the end; 0 if the command was not started. */
  readonly durationMs: number;
  /** The last 20 lines of the output, redacted and without colors. */
  readonly lastLines: readonly string[];
  /** How often the connection was lost, each time perhaps with some output. */
  readonly reconnects: number;
}

/** Runs the command and logs its output. `endedAt` is Unix time in milliseconds. */
export async function runCommand(
  inputs: Inputs<'run'>,
  client: Client,
  context: Context,
): Promise<CommandResult & { readonly endedAt: number }> {
  const { sandboxId, baseUrl, name, run } = inputs;
  const { clock, now, redact, log } = context;
  const title = redact(name || run.replace(/\n.*/s, ' …'));
  log.line(`Running ${inlineCode(title)} in sandbox ${sandboxId} at ${baseUrl}`);
  const output = keepLastLines(context);
  const startedAt = clock();
  const { end, reconnects } = await followCommand(inputs, client, context, output.write);
  output.end();
  const durationMs = end.kind === 'not-started' ? 0 : Math.round(clock() - startedAt);
  return { title, end, durationMs, lastLines: output.lastLines(), reconnects, endedAt: now() };
}

const MAX_LAST_LINES = 20;

// Far below 64 KiB, where lineSplitter() may cut a secret in half before it is redacted.
const MAX_LAST_LINE = 1000;

/** Logs the output, and keeps its end for the result. */
function keepLastLines({ log, redact }: Pick<Context, 'log' | 'redact'>) {
  let last = '';
  const splitter = lineSplitter(text => {
    log.output(text);
    // The text ends in \n, so the last piece is empty.
    const lines = `${last}${text}`.split('\n');
    last = lines.slice(-MAX_LAST_LINES - 1).join('\n');
  });
  const lastLines = () => {
    // Removing a color may join two halves of a secret, so redact afterwards.
    const text = redact(removeColors(last)).trimEnd();
    return text === '' ? [] : text.split('\n').map(line => truncate(line, MAX_LAST_LINE));
  };
  return { ...splitter, lastLines };
}
