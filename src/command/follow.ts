import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Client, RequestLimits } from '../agent/client.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import {
  backoff,
  type Outcome,
  type Retry,
  type RetryOptions,
  withRetries,
} from '../agent/retry.ts';
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

// The end script takes up to 4 s; its request up to 6 s; the rest is for SIGKILL.
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
  toSend: ProcessOptions,
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

  const script = watchScript(toSend.env[MARK_VARIABLE] ?? '', output);
  const start = { process: toSend, retries: inputs.retries, stop: stopCommand };
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
  // If the agent saw the end, late output is the script's. If not, something in the background
  // printed it.
  const isFromScript = outcome.status === 'done';
  script.breakOff(isFromScript ? script.late : []);

  const end = commandEndOf(outcome, script.trailer(), connection.pid());
  const wasSeen = end.kind !== 'lost' && end.kind !== 'not-started';
  const by = cancel.aborted ? 'cancellation' : 'max-duration';
  return {
    end: isStopped && wasSeen ? { kind: 'stopped', by } : end,
    reconnects: outcome.attempts - 1,
    trailer: script.trailer() ?? {},
    background: isFromScript ? [] : script.late,
    endedAt,
  };
}

function commandEndOf(
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

/** Starts a command, and connects to it again whenever the connection is lost. */
function keepConnected(
  { process, retries, stop }: Pick<RetryOptions, 'retries' | 'stop'> & { process: ProcessOptions },
  script: ReturnType<typeof watchScript>,
  client: Client,
  limits: RequestLimits,
  context: Context,
) {
  let pid: number | undefined;
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const handlers = {
    onStart(startedPid: number) {
      if (pid !== undefined) void checkScript(pid);
      pid = startedPid;
      resolve();
    },
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
  const policy = { ...context, onRetry };
  async function connect(): Promise<Outcome<ProcessEnd>> {
    const start = async () => {
      if (!stop.aborted) return await startProcess(client, process, handlers, limits);
      throw new AgentError('cancelled', 'The step was cancelled.', { hadNoEffect: true });
    };
    // A start whose response was lost may have succeeded, so never start twice.
    const isRepeatable = ({ hadNoEffect }: AgentError) => hadNoEffect && pid === undefined;
    const first = await withRetries(start, { ...policy, retries, stop, isRepeatable });
    const leader = pid;
    if (leader === undefined) return { ...first, attempts: 1 };
    const attach = (onActivity: () => void) =>
      attachProcess(client, leader, { ...handlers, onActivity }, limits);
    const isOver = () => script.trailer() !== undefined;
    return await reconnect(first, attach, isOver, { ...policy, stop: limits.signal });
  }
  return { started, ended: connect(), pid: () => pid };
}

/** Attaches to a process until it ends, `isOver` is true, or nothing was heard of it for 3 minutes. */
async function reconnect(
  first: Outcome<ProcessEnd>,
  attach: (onActivity: () => void) => Promise<ProcessEnd>,
  isOver: () => boolean,
  policy: Context & Pick<RetryOptions, 'stop' | 'onRetry'>,
): Promise<Outcome<ProcessEnd>> {
  const { now, random, sleep, stop, onRetry } = policy;
  let outcome = first;
  let attempts = 1;
  let losses = 0;
  let lostAt = 0;
  while (outcome.status === 'failed' && outcome.error.isRetryable && !isOver()) {
    const { error } = outcome;
    if (losses === 0) lostAt = now();
    if (now() - lostAt >= RECONNECT_MS) break;
    losses += 1;
    const pause = backoff(losses, random, error.retryAfterMs);
    const delayMs = Math.min(pause, MAX_RECONNECT_DELAY_MS);
    onRetry({ attempt: attempts, error, delayMs });
    if (!(await sleep(delayMs, stop))) break;
    attempts += 1;
    outcome = await withRetries(() => attach(() => (losses = 0)), { ...policy, retries: 0 });
  }
  return { ...outcome, attempts };
}
