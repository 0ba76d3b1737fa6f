import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client, RequestLimits } from '../agent/client.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Outcome, type Retry, type RetryOptions, withRetries } from '../agent/retry.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import type { LineSplitter } from './output.ts';
import { attachProcess, type ProcessEnd, type ProcessOptions, startProcess } from './process.ts';
import { endSession, readExitCode } from './session.ts';
import { MARK_VARIABLE, wrapScript } from './shell.ts';
import { type Trailer, watchScript } from './trailer.ts';

// Keepalives come every 10 s and may be late, so a shorter timeout could end a working connection.
const MIN_STREAM_TIMEOUT_MS = 30_000;

// E2B's agent only remembers an exit for 30 s, so connect soon after an outage. The command may
// still be running, so go on for longer than that.
const MAX_RECONNECT_DELAY_MS = 5000;
const RECONNECT_MS = 3 * 60_000;

// If the agent has not reported the end by then, something in the background holds the output open.
const END_AFTER_TRAILER_MS = 1000;

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
  /** Empty if it was not seen. */
  readonly trailer: Partial<Trailer>;
  /** What processes in the background printed after the end of the script. */
  readonly background: readonly Buffer[];
  /** In Unix milliseconds. */
  readonly endedAt: number;
}

/** @throws InputError if the command is too long */
export function commandToSend(inputs: Inputs<'run'>): ProcessOptions {
  const { run, env, workingDirectory, username } = inputs;
  const marked = { ...env, [MARK_VARIABLE]: randomUUID() };
  return { script: wrapScript(run, randomUUID()), env: marked, workingDirectory, username };
}

/** Runs the command once, reconnecting if the connection is lost, until it ends or is stopped. */
export async function followCommand(
  sent: ProcessOptions,
  inputs: Inputs<'run'> & { readonly maxDuration: number },
  client: Client,
  context: Context,
  output: LineSplitter,
): Promise<FollowedCommand> {
  const { cancel, killImminent, now, sleep } = context;
  const { username, maxDuration } = inputs;
  const stopCommand = AbortSignal.any([cancel, AbortSignal.timeout(maxDuration)]);
  // A cancelled job must still stop the command, so `cancel` does not abort these requests.
  const signal = AbortSignal.any([killImminent, AbortSignal.timeout(maxDuration + GIVE_UP_MS)]);
  const limits = { signal, timeout: Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS) };
  const disconnect = new AbortController();
  const untilDisconnect = { ...limits, signal: AbortSignal.any([signal, disconnect.signal]) };

  const script = watchScript(sent.env[MARK_VARIABLE] ?? '', output);
  const start = { process: sent, retries: inputs.retries, stopCommand };
  const connection = keepConnected(start, script, client, untilDisconnect, context);
  const ended = Promise.race([script.exited, connection.ended]).then(() => now());

  await Promise.race([ended, once(stopCommand, 'abort')]);
  const isStopped = stopCommand.aborted;
  if (isStopped) {
    await Promise.race([connection.started, connection.ended]);
    const pid = connection.pid();
    if (pid !== undefined) await endSession({ client, username, limits }, pid, context);
  }
  const endedAt = await ended;
  await Promise.race([connection.ended, sleep(END_AFTER_TRAILER_MS, disconnect.signal)]);
  disconnect.abort();
  const outcome = await connection.ended;
  const { late } = script;
  const [rest, background] = outcome.status === 'done' ? [late, []] : [[], late];
  script.breakOff(rest);

  const end = endOf(outcome, script.trailer(), connection.pid());
  const wasSeen = end.kind !== 'lost' && end.kind !== 'not-started';
  const by = cancel.aborted ? 'cancellation' : 'max-duration';
  return {
    end: isStopped && wasSeen ? { kind: 'stopped', by } : end,
    reconnects: outcome.attempts - 1,
    trailer: script.trailer() ?? {},
    background,
    endedAt,
  };
}

function endOf(
  outcome: Outcome<ProcessEnd>,
  trailer: Trailer | undefined,
  pid: number | undefined,
): CommandEnd {
  if (outcome.status === 'failed') {
    if (trailer !== undefined) return { kind: 'exited', code: trailer.exitCode };
    const isUnsure = pid !== undefined || !outcome.error.hadNoEffect;
    return { kind: isUnsure ? 'lost' : 'not-started', error: failureInfoOf(outcome.error) };
  }
  const { exitCode, status } = outcome.value;
  if (exitCode === undefined) return { kind: 'no-exit-code', status };
  // A login profile with `exit` or `exec` ends the shell before it prints the trailer. A
  // reconnect may have lost the trailer.
  if (exitCode === 0 && trailer === undefined && outcome.attempts === 1) return { kind: 'not-run' };
  if (exitCode === -1) return { kind: 'killed', status };
  return { kind: 'exited', code: exitCode || (trailer?.exitCode ?? 0) };
}

interface StartOptions {
  readonly process: ProcessOptions;
  readonly retries: number;
  readonly stopCommand: AbortSignal;
}

/** Starts a command, and connects to it again whenever the connection is lost. */
function keepConnected(
  { process, retries, stopCommand }: StartOptions,
  script: ReturnType<typeof watchScript>,
  client: Client,
  limits: RequestLimits,
  context: Context,
) {
  let pid: number | undefined;
  const outage = watchOutage(context.now);
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const handlers = {
    onStart(startedPid: number) {
      if (pid !== undefined) void checkScript(pid);
      pid = startedPid;
      resolve();
    },
    onActivity: outage.end,
    onOutput: script.write,
  };
  // The script may have ended while nothing was connected. If a process in the background holds the
  // output open, the agent does not report that.
  const checkScript = async (leader: number) => {
    const exitCode = await readExitCode({ client, username: process.username, limits }, leader);
    // The trailer may still arrive, and says more.
    const isLost = await context.sleep(END_AFTER_TRAILER_MS, limits.signal);
    if (exitCode !== undefined && isLost) script.onTrailer({ exitCode });
  };
  const onRetry = ({ error, delayMs }: Retry) => {
    context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
    // What follows is not the rest of the line that broke off.
    script.breakOff();
  };
  // A start whose response was lost may have succeeded, so never start twice.
  const isRepeatable = ({ hadNoEffect }: AgentError) => hadNoEffect && pid === undefined;
  const policy = { ...context, retries, stop: stopCommand, onRetry, isRepeatable };
  const connect = () =>
    pid === undefined
      ? unlessFailed(() => startProcess(client, process, handlers, limits), policy)
      : attachProcess(client, pid, handlers, limits);
  const ended = withRetries(connect, {
    ...context,
    retries: Number.POSITIVE_INFINITY,
    maxDelayMs: MAX_RECONNECT_DELAY_MS,
    stop: limits.signal,
    onRetry,
    hasProgressed: outage.hasEnded,
    isRepeatable: () => outage.isShort() && pid !== undefined && script.trailer() === undefined,
  });
  return { started, ended, pid: () => pid };
}

/** An outage begins when it is first asked whether it is short. */
function watchOutage(now: () => number) {
  let since: number | undefined;
  return {
    end: () => void (since = undefined),
    hasEnded: () => since === undefined,
    isShort() {
      since ??= now();
      return now() - since < RECONNECT_MS;
    },
  };
}

/** Like `withRetries`, but asks for nothing if `stop` has aborted, and throws the last error. */
async function unlessFailed(request: () => Promise<ProcessEnd>, options: RetryOptions) {
  if (options.stop.aborted)
    throw new AgentError('cancelled', 'The step was cancelled.', { hadNoEffect: true });
  const outcome = await withRetries(request, options);
  if (outcome.status === 'failed') throw outcome.error;
  return outcome.value;
}
