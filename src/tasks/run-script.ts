import { agentService } from '../agent/client.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type CommandSection, explainFailure } from '../report/command-section.ts';
import type { ReportedError } from '../report/reported-error.ts';
import { inlineCode, truncate } from '../text/escape.ts';
import { formatCount } from '../text/format.ts';
import { lastLines, readLines } from '../text/lines.ts';
import type { Redact } from '../text/redact.ts';
import type { Context } from './context.ts';
import { followScript } from './follow-script.ts';

interface ScriptResult {
  readonly command: CommandSection;
  readonly isStarted: boolean;
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

// The agent sends a keepalive every 10 s.
const MIN_TIMEOUT_MS = 30_000;

const MAX_LAST_LINES = 20;

/** Runs the script until it exits, `max-duration` is over or the job is cancelled. */
export async function runScript(inputs: Inputs<'run'>, context: Context): Promise<ScriptResult> {
  const { sandboxId, baseUrl, maxDuration, timeout } = inputs;
  const { cancel, clock, redact, log } = context;
  const title = titleOf(inputs, redact);
  const place = `sandbox ${sandboxId} at ${baseUrl}`;
  log.line(`Running ${inlineCode(title)} in ${place}`);
  let last = '';
  const output = readLines(text => {
    log.output(text);
    last = lastLines(last + lastLines(text, MAX_LAST_LINES), MAX_LAST_LINES);
  });
  const service = agentService({ ...inputs, timeout: Math.max(timeout, MIN_TIMEOUT_MS) });
  const tooLong = AbortSignal.timeout(maxDuration);
  const startedAt = clock();
  const stopScript = AbortSignal.any([cancel, tooLong]);
  const options = { ...inputs, stopScript, onOutput: output.write };
  const { end, reconnects } = await followScript(service, options, context);
  output.end();
  const { exitCode, status = '' } = end.kind === 'ended' ? end : {};
  const command = {
    title,
    exitCode,
    status,
    durationMs: end.kind === 'not-started' ? 0 : Math.round(clock() - startedAt),
    lastLines: last === '' ? [] : shorten(redact(last)),
  };
  const stoppedBy = tooLong.aborted ? 'max-duration' : undefined;
  return {
    command,
    isStarted: end.kind !== 'not-started',
    errors: explainFailure(command, end, cancel.aborted ? 'cancellation' : stoppedBy),
    warnings: reconnects === 0 ? [] : [reconnectWarning(reconnects)],
  };
}

// If a line was cut while it was read, it may end with half a secret.
const MAX_LAST_LINE = 1000;

function shorten(lines: string): string[] {
  const all = lines.trimEnd().split('\n');
  return all.map(line => truncate(line, MAX_LAST_LINE));
}

/** Returns the step's name, or the first line of its script, redacted before it is truncated. */
function titleOf({ name, run: script }: Inputs<'run'>, redact: Redact): string {
  if (name !== '') return redact(name);
  const [first = '', ...others] = script.split('\n');
  return redact(others.length === 0 ? first : `${first} …`);
}

function reconnectWarning(count: number): string {
  return `The connection was lost ${formatCount(count, 'time')}, so output of the command may be missing.`;
}
