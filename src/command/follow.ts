import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Outcome, type Retry, withRetries } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import { markCutter, type OomCount, type ScriptEnd } from './mark.ts';
import type { LineSplitter } from './output.ts';
import { attachProcess, type ProcessEnd, type ProcessOptions, startProcess } from './process.ts';
import { endSession, readExitCode, readOomKills, type Starter } from './session.ts';
import { bashCommand, MARK_VARIABLE, scriptText } from './shell.ts';

// Keepalives come every 10 s and may be late, so a shorter timeout could end a working connection.
const MIN_STREAM_TIMEOUT_MS = 30_000;

// With backoff, ten attempts take 1.5 to 3 minutes. E2B's agent only remembers an exit for 30 s,
// but the command may still be running, so reconnects go on beyond that.
const MAX_RECONNECTS = 10;

// If the agent has not reported the end by then, something in the background holds the output open.
const END_AFTER_MARK_MS = 1000;

// Ending a session takes up to 6 s; the rest is for SIGKILL and a slow network.
const GIVE_UP_MS = 14_000;

/** How a command ended, or why nobody saw that. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  /** `status` is how the agent describes it, such as `signal: killed`. */
  | { readonly kind: 'killed'; readonly status: string }
  | { readonly kind: 'no-exit-code'; readonly status: string }
  /** The login shell ended before it ran the command. */
  | { readonly kind: 'not-run' }
  /** We stopped it, so what it exited with says nothing. */
  | { readonly kind: 'stopped'; readonly by: 'max-duration' | 'cancellation' }
  | { readonly kind: 'lost'; readonly error: FailureInfo }
  | { readonly kind: 'not-started'; readonly error: FailureInfo };

export interface FollowedCommand {
  readonly end: CommandEnd;
  readonly reconnects: number;
  readonly script: ScriptEnd | undefined;
  /** How many processes the kernel killed for memory. Undefined if that could not be read. */
  readonly oomKills: number | undefined;
  /** On the monotonic clock. */
  readonly endedAt: number;
}

export interface SentCommand {
  readonly mark: string;
  readonly process: ProcessOptions;
}

/** @throws InputError if the command is too long */
export function commandToSend({ run, env, ...others }: Inputs<'run'>): SentCommand {
  const { workingDirectory, username } = others;
  const mark = randomUUID();
  const marked = { ...env, [MARK_VARIABLE]: mark };
  const shell = bashCommand(scriptText(run, randomUUID()));
  return { mark, process: { ...shell, env: marked, workingDirectory, username } };
}

/** Runs the command once, reconnecting if the connection is lost, until it ends or is stopped. */
export async function followCommand(
  sent: SentCommand,
  inputs: Inputs<'run'> & { readonly maxDuration: number },
  client: Client,
  context: Context,
  output: LineSplitter,
): Promise<FollowedCommand> {
  const { cancel, killImminent, clock, sleep } = context;
  const { username, maxDuration } = inputs;
  const stopCommand = AbortSignal.any([cancel, AbortSignal.timeout(maxDuration)]);
  // A cancelled job must still stop the command, so `cancel` does not abort these requests.
  const signal = AbortSignal.any([killImminent, AbortSignal.timeout(maxDuration + GIVE_UP_MS)]);
  const timeout = Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS);
  const starter = { client, username, limits: { signal, timeout } };
  const disconnect = new AbortController();
  const limits = { signal: AbortSignal.any([signal, disconnect.signal]), timeout };
  const script = readScript(sent.mark, output, stopCommand, context);
  const command = { ...sent, retries: inputs.retries, stopCommand };
  const stream = openStream(command, { ...starter, limits }, script, context);
  const { ended } = stream;
  const stopped = once(stopCommand, 'abort').then(() => 'stopped' as const);
  const isStopped = (await Promise.race([script.ended, ended, stopped])) === 'stopped';
  if (isStopped) {
    await Promise.race([stream.started, ended]);
    const { pid } = stream.seen;
    if (pid !== undefined) await endSession(starter, pid, context);
  }
  await Promise.race([script.ended, ended]);
  await Promise.race([ended, sleep(END_AFTER_MARK_MS, disconnect.signal)]);
  disconnect.abort();
  const outcome = await ended;
  script.breakOff();
  const seen = { ...script.seen, ...stream.seen };
  const { reconnects, exitCode, endedAt = clock() } = seen;
  const followed = { reconnects, script: seen.script, endedAt };
  if (isStopped && (outcome.status === 'done' || exitCode !== undefined)) {
    const by = cancel.aborted ? 'cancellation' : 'max-duration';
    return { ...followed, end: { kind: 'stopped', by }, oomKills: seen.script?.oomKills };
  }
  const oomKills = await oomKillsOf(outcome, seen, starter);
  return { ...followed, end: endOf(outcome, seen), oomKills };
}

function endOf(
  outcome: Outcome<ProcessEnd>,
  { pid, exitCode: markedCode, reconnects }: SeenStream & SeenScript,
): CommandEnd {
  if (outcome.status === 'done') {
    const { exitCode, status } = outcome.value;
    if (exitCode === undefined) return { kind: 'no-exit-code', status };
    // A login profile with `exit` or `exec` ends the shell before it prints the mark. A reconnect
    // may have lost the mark.
    if (exitCode === 0 && markedCode === undefined && reconnects === 0) return { kind: 'not-run' };
    return exitCode === -1 ? { kind: 'killed', status } : { kind: 'exited', code: exitCode };
  }
  const { error } = outcome;
  if (markedCode !== undefined) return { kind: 'exited', code: markedCode };
  const isUnsure = pid !== undefined || !error.hadNoEffect;
  return { kind: isUnsure ? 'lost' : 'not-started', error: failureInfoOf(error) };
}

// If the kernel killed the shell around the script, too, another process reads the second count.
async function oomKillsOf(
  { status }: Outcome<ProcessEnd>,
  { begin, script }: SeenScript,
  starter: Starter,
): Promise<number | undefined> {
  if (script !== undefined) return script.oomKills;
  if (status === 'failed' || begin?.kills === undefined) return undefined;
  return await readOomKills(starter, begin);
}

interface SeenScript {
  begin?: OomCount;
  script?: ScriptEnd;
  /** From the mark, or from the process itself after a reconnect. */
  exitCode?: number;
  endedAt?: number;
}

/** Cuts the mark out of the output. `ended` resolves with the script, although output may go on. */
function readScript(
  mark: string,
  output: LineSplitter,
  stopCommand: AbortSignal,
  { clock, log }: Pick<Context, 'clock' | 'log'>,
) {
  const seen: SeenScript = {};
  const { promise: ended, resolve, reject: onBug } = Promise.withResolvers<void>();
  const onExitCode = (exitCode: number | undefined) => {
    if (exitCode === undefined) return;
    seen.exitCode ??= exitCode;
    seen.endedAt ??= clock();
    resolve();
  };
  const { write, end } = markCutter(mark, {
    onOutput(bytes) {
      // After the end of the script, the output is that of processes in the background.
      if (seen.exitCode === undefined || stopCommand.aborted) output.write(bytes);
    },
    onBegin: begin => void (seen.begin = begin),
    onEnd(script) {
      seen.script ??= script;
      onExitCode(script.exitCode);
    },
  });
  const breakOff = () => {
    end();
    output.end();
  };
  const onRetry = ({ error, delayMs }: Retry) => {
    log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
    // What follows is not the rest of the line that broke off.
    breakOff();
  };
  return { seen, ended, onExitCode, onBug, write, breakOff, onRetry };
}

interface SeenStream {
  pid?: number;
  reconnects: number;
  hasProgressed: boolean;
}

/** Starts a command and stays connected to it. */
function openStream(
  { process, retries, stopCommand }: SentCommand & { retries: number; stopCommand: AbortSignal },
  starter: Starter,
  script: ReturnType<typeof readScript>,
  context: Context,
) {
  const { client, limits } = starter;
  const seen: SeenStream = { reconnects: 0, hasProgressed: false };
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const handlers = {
    onStart(pid: number) {
      // The mark may have been lost before this reconnect.
      if (seen.pid !== undefined)
        readExitCode(starter, pid, context).then(script.onExitCode, script.onBug);
      seen.pid = pid;
      resolve();
    },
    onActivity: () => void (seen.hasProgressed = true),
    onOutput: script.write,
  };
  const policy = { ...context, onRetry: script.onRetry };
  const begin = async () => {
    if (stopCommand.aborted)
      throw new AgentError('cancelled', 'The step was cancelled.', { hadNoEffect: true });
    // A start whose response was lost may have succeeded, so never start twice.
    const isRepeatable = ({ hadNoEffect }: AgentError) => hadNoEffect && seen.pid === undefined;
    const options = { ...policy, retries, stop: stopCommand, isRepeatable };
    const start = () => startProcess(client, process, handlers, limits);
    const outcome = await withRetries(start, options);
    if (outcome.status === 'failed') throw outcome.error;
    return outcome.value;
  };
  const connect = () => {
    seen.hasProgressed = false;
    if (seen.pid === undefined) return begin();
    seen.reconnects += 1;
    return attachProcess(client, seen.pid, handlers, limits);
  };
  const ended = withRetries(connect, {
    ...policy,
    retries: MAX_RECONNECTS,
    stop: limits.signal,
    hasProgressed: () => seen.hasProgressed,
    isRepeatable: () => seen.pid !== undefined && script.seen.exitCode === undefined,
  });
  return { seen, started, ended };
}
