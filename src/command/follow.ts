import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Outcome, withRetries } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import type { LineSplitter } from '../text/lines.ts';
import { type MarkHandlers, markCutter, type OomCount, type ScriptEnd } from './mark.ts';
import { attachProcess, type ProcessEnd, type ProcessOptions, startProcess } from './process.ts';
import { endSession, type Link, readExitCode, readOomKills } from './session.ts';
import { bashCommand, MARK_VARIABLE, scriptText } from './shell.ts';

// Keepalives come every 10 s and may be late, so a shorter timeout could end a working connection.
const MIN_STREAM_TIMEOUT_MS = 30_000;

// With backoff, ten attempts take 1.5 to 3 minutes. E2B's agent only remembers an exit for 30 s,
// but the command may still be running.
const MAX_RECONNECTS = 10;

// If the agent has not reported the end by then, something in the background holds the output open.
const END_AFTER_MARK_MS = 1000;

// endSession() takes up to 6 s; the rest is for a slow network.
const GIVE_UP_MS = 14_000;

/** How a command ended, or why nobody saw that. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  /** `status` is how the agent describes it, such as `signal: killed`. */
  | { readonly kind: 'killed'; readonly status: string }
  /** The agent reported the end without an exit code. */
  | { readonly kind: 'no-exit-code'; readonly status: string }
  /** We stopped it, so what it exited with says nothing. */
  | { readonly kind: 'stopped'; readonly by: 'max-duration' | 'cancellation' }
  /** The connection was lost, so the command may still be running. */
  | { readonly kind: 'lost'; readonly error: FailureInfo }
  | { readonly kind: 'not-started'; readonly error: FailureInfo };

export interface FollowedCommand {
  readonly end: CommandEnd;
  readonly reconnects: number;
  /** Undefined if the shell around the script did not report its end. */
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
  const { cancel, killImminent, sleep } = context;
  const stopCommand = AbortSignal.any([cancel, AbortSignal.timeout(inputs.maxDuration)]);
  const giveUp = new AbortController();
  // A cancelled job must still stop the command, so `cancel` does not abort these requests.
  const signal = AbortSignal.any([killImminent, giveUp.signal]);
  const timeout = Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS);
  const link = { client, username: inputs.username, limits: { signal, timeout } };
  const disconnect = new AbortController();
  const { seen, started, marked, ended } = startCommand(sent, link, {
    context,
    output,
    startRetries: inputs.retries,
    stopCommand,
    disconnect: disconnect.signal,
  });
  const stopped = once(stopCommand, 'abort').then(() => 'stopped' as const);
  const isStopped = (await Promise.race([marked, ended, stopped])) === 'stopped';
  if (isStopped) {
    setTimeout(() => giveUp.abort(), GIVE_UP_MS).unref();
    const pid = await started;
    if (pid !== undefined) await endSession(link, pid, context);
  }
  await Promise.race([marked, ended]);
  await Promise.race([ended, sleep(END_AFTER_MARK_MS, disconnect.signal)]);
  disconnect.abort();
  const outcome = await ended;
  const { reconnects, script, exitCode, endedAt = context.clock() } = seen;
  const followed = { reconnects, script, endedAt };
  if (!isStopped || (outcome.status === 'failed' && exitCode === undefined)) {
    const end = await endOf(outcome, seen, link, context);
    return { ...followed, end, oomKills: await oomKillsOf(outcome, seen, link) };
  }
  const by = cancel.aborted ? 'cancellation' : 'max-duration';
  return { ...followed, end: { kind: 'stopped', by }, oomKills: script?.oomKills };
}

async function endOf(
  outcome: Outcome<ProcessEnd>,
  { pid, exitCode: markedCode }: Seen,
  link: Link,
  context: Context,
): Promise<CommandEnd> {
  if (outcome.status === 'done') {
    const { exitCode, status } = outcome.value;
    if (exitCode === undefined) return { kind: 'no-exit-code', status };
    return exitCode === -1 ? { kind: 'killed', status } : { kind: 'exited', code: exitCode };
  }
  const { error } = outcome;
  if (pid !== undefined && markedCode !== undefined)
    return { kind: 'exited', code: (await readExitCode(link, pid, context, 0)) ?? markedCode };
  const isUnsure = pid !== undefined || !error.hadNoEffect;
  return { kind: isUnsure ? 'lost' : 'not-started', error: failureInfoOf(error) };
}

// If the kernel killed the shell around the script, too, another process reads the second count.
async function oomKillsOf(
  { status }: Outcome<ProcessEnd>,
  { begin, script }: Seen,
  link: Link,
): Promise<number | undefined> {
  if (script !== undefined) return script.oomKills;
  if (status === 'failed' || begin?.kills === undefined) return undefined;
  return await readOomKills(link, begin);
}

/** What was seen of a command so far. */
interface Seen {
  pid?: number;
  begin?: OomCount;
  script?: ScriptEnd;
  /** From the mark, or from the process itself after a reconnect. */
  exitCode?: number;
  /** On the monotonic clock, if `exitCode` is known. */
  endedAt?: number;
  starts: number;
  reconnects: number;
  hasProgressed: boolean;
}

interface StartOptions {
  readonly context: Context;
  readonly output: LineSplitter;
  readonly startRetries: number;
  readonly stopCommand: AbortSignal;
  readonly disconnect: AbortSignal;
}

/**
 * `started` resolves to the command's PID, or to undefined if it did not start. `marked` resolves
 * once the script has ended, although the stream may go on.
 */
function startCommand({ mark, process }: SentCommand, link: Link, options: StartOptions) {
  const { context, output, stopCommand, disconnect } = options;
  const seen: Seen = { starts: 0, reconnects: 0, hasProgressed: false };
  const started = Promise.withResolvers<number | undefined>();
  const marked = Promise.withResolvers<void>();
  const onEnd = (exitCode: number) => {
    seen.exitCode ??= exitCode;
    seen.endedAt ??= context.clock();
    marked.resolve();
  };
  const lines = markCutter(mark, linesOf(seen, onEnd, options));
  const limits = { ...link.limits, signal: AbortSignal.any([link.limits.signal, disconnect]) };
  const handlers = {
    onStart(pid: number) {
      // After a reconnect, the mark may be lost.
      if (seen.pid !== undefined)
        void readExitCode({ ...link, limits }, pid, context, MAX_RECONNECTS).then(
          code => code !== undefined && onEnd(code),
        );
      seen.pid = pid;
      started.resolve(pid);
    },
    onActivity: () => void (seen.hasProgressed = true),
    onOutput: lines.write,
  };
  const connect = () => {
    seen.hasProgressed = false;
    if (seen.pid !== undefined) return attachProcess(link.client, seen.pid, handlers, limits);
    if (stopCommand.aborted)
      throw new AgentError('cancelled', 'The step was cancelled.', { hadNoEffect: true });
    seen.starts += 1;
    return startProcess(link.client, process, handlers, limits);
  };
  const ended = withRetries(connect, {
    ...retryPolicy(seen, options),
    stop: link.limits.signal,
    onRetry({ error, delayMs }) {
      context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
      if (seen.pid !== undefined) seen.reconnects += 1;
      // What follows is not the rest of the line that broke off.
      lines.end();
      output.end();
    },
  }).finally(() => {
    lines.end();
    started.resolve(undefined);
  });
  return { seen, started: started.promise, marked: marked.promise, ended };
}

function linesOf(
  seen: Seen,
  onEnd: (exitCode: number) => void,
  { output, stopCommand }: StartOptions,
): MarkHandlers {
  return {
    // After the end of the script, the output is that of processes in the background.
    onOutput(bytes) {
      if (seen.exitCode === undefined || stopCommand.aborted) output.write(bytes);
    },
    onBegin: begin => void (seen.begin = begin),
    onEnd(script) {
      seen.script ??= script;
      onEnd(script.exitCode);
    },
  };
}

function retryPolicy(seen: Seen, { context, startRetries, stopCommand }: StartOptions) {
  return {
    random: context.random,
    retries: MAX_RECONNECTS,
    // A command that has not started does not need to be ended.
    sleep: (ms: number, stop: AbortSignal) =>
      context.sleep(ms, seen.pid === undefined ? stopCommand : stop),
    hasProgressed: () => seen.hasProgressed,
    // A start whose response was lost may have succeeded, so never start twice.
    isRepeatable: ({ hadNoEffect }: AgentError) =>
      seen.pid === undefined
        ? hadNoEffect && seen.starts <= startRetries
        : seen.exitCode === undefined,
  };
}
