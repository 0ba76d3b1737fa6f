import { once } from 'node:events';
import type { Client, RequestLimits } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Retry, type RetryOptions, withRetries } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import {
  attachProcess,
  killProcess,
  type ProcessEnd,
  type ProcessHandlers,
  type ProcessOptions,
  startProcess,
} from './process.ts';

// Keepalives come every 10 s and may be late, so a shorter timeout could end a working connection.
const MIN_STREAM_TIMEOUT_MS = 30_000;

// With backoff, ten attempts take 1.5 to 3 minutes. E2B's agent only remembers an exit for 30 s,
// but the command may still be running.
const MAX_RECONNECTS = 10;

// END_SESSION takes up to 4 s; the rest is for a slow network.
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

/** Runs the command once, reconnecting if the connection is lost, until it ends or is stopped. */
export async function followCommand(
  inputs: Inputs<'run'>,
  client: Client,
  context: Context,
  onOutput: ProcessHandlers['onOutput'],
): Promise<{ readonly end: CommandEnd; readonly reconnects: number }> {
  const { cancel, killImminent, log } = context;
  const timeIsOver = AbortSignal.timeout(inputs.maxDuration);
  const stopCommand = AbortSignal.any([cancel, timeIsOver]);
  if (stopCommand.aborted) {
    const error = new AgentError('cancelled', 'The job was cancelled.');
    return { end: { kind: 'not-started', error: failureInfoOf(error) }, reconnects: 0 };
  }
  const giveUp = new AbortController();
  // A cancelled job must still stop the command, so `cancel` does not abort these requests.
  const stop = AbortSignal.any([killImminent, giveUp.signal]);
  const timeout = Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS);
  const policy = {
    ...context,
    limits: { signal: stop, timeout },
    retries: MAX_RECONNECTS,
    stop,
    onRetry: ({ error, delayMs }: Retry) =>
      log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`),
  };
  const { started, ended } = startCommand(inputs, client, onOutput, policy);
  const stopped = once(stopCommand, 'abort').then(() => 'stopped' as const);
  const isStopped = (await Promise.race([ended, stopped])) === 'stopped';
  if (isStopped) {
    setTimeout(() => giveUp.abort(), GIVE_UP_MS).unref();
    const pid = await started;
    if (pid !== undefined) await endSession(client, pid, inputs.username, policy);
  }
  const outcome = await ended;
  const isStarted = (await started) !== undefined;
  const reconnects = outcome.attempts - 1;
  if (outcome.status === 'failed') return { end: endUnseen(outcome.error, isStarted), reconnects };
  const by = cancel.aborted ? 'cancellation' : 'max-duration';
  return { end: isStopped ? { kind: 'stopped', by } : endOf(outcome.value), reconnects };
}

function endOf({ exitCode, status }: ProcessEnd): CommandEnd {
  if (exitCode === undefined) return { kind: 'no-exit-code', status };
  return exitCode === -1 ? { kind: 'killed', status } : { kind: 'exited', code: exitCode };
}

function endUnseen(error: AgentError, isStarted: boolean): CommandEnd {
  return {
    kind: isStarted || !error.hadNoEffect ? 'lost' : 'not-started',
    error: failureInfoOf(error),
  };
}

type Policy = RetryOptions & { readonly limits: RequestLimits };

/** `started` resolves to the command's PID, or to undefined if it did not start. */
function startCommand(
  inputs: Inputs<'run'>,
  client: Client,
  onOutput: ProcessHandlers['onOutput'],
  policy: Policy,
) {
  const { promise: started, resolve } = Promise.withResolvers<number | undefined>();
  let pid: number | undefined;
  const onStart = (startedPid: number) => {
    pid = startedPid;
    resolve(startedPid);
  };
  const handlers = { onStart, onOutput };
  const ended = withRetries(
    () =>
      pid === undefined
        ? startProcess(client, wrap(inputs), handlers, policy.limits)
        : attachProcess(client, pid, handlers, policy.limits),
    // A start whose response was lost may have succeeded, so never start twice.
    { ...policy, isRepeatable: () => pid !== undefined },
  ).finally(() => resolve(undefined));
  return { started, ended };
}

// Close stdin, which agents before 0.3 leave open, and merge stderr into stdout to keep their
// order. setsid starts a session, so that the script's children can be ended with it. Skip it if
// this shell already leads a group: setsid would fork, and the process that the agent watches would
// exit with 0 at once.
const WRAPPER = `exec 2>&1 </dev/null
read -r _ _ _ _ group _ 2>/dev/null </proc/$$/stat
[ "\${group:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;

// A login shell sets PATH from the image's profile. The script runs in a second shell: with -e in
// the login shell, Debian's .bash_logout would replace the exit code.
const SHELL = ['/bin/bash', '-l', '-c', 'exec bash -eo pipefail -c "$1"', '-'];

function wrap({ run, env, workingDirectory, username }: Inputs<'run'>): ProcessOptions {
  const args = ['-c', WRAPPER, '--', ...SHELL, run];
  return { command: '/bin/sh', args, env, workingDirectory, username };
}

// Sends TERM to the script and its children, and KILL after 4 s to those that are left, except
// zombies. Finds them by session, since programs such as timeout start a new group, or by group if
// setsid was skipped.
const END_SESSION = `leader=$1
members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat <"$file" || continue
    set -- \${stat%% *} \${stat##*) }
    case "$2 $4 $5" in
      Z*) ;;
      *" $leader "* | *" $leader") echo "$1" ;;
    esac
  done
}
kill -TERM $(members)
for second in 1 2 3 4; do
  [ -z "$(members)" ] || sleep 1
done
kill -KILL $(members)`;

async function endSession(
  client: Client,
  pid: number,
  username: string,
  policy: Policy,
): Promise<void> {
  const args = ['-c', END_SESSION, '--', String(pid)];
  const options = { command: '/bin/sh', args, env: {}, workingDirectory: '/' };
  const handlers = { onStart: () => {}, onOutput: () => {} };
  // Only root may end what sudo has started, but not every sandbox has a user of that name.
  for (const user of ['root', username]) {
    const start = () =>
      startProcess(client, { ...options, username: user }, handlers, policy.limits);
    if ((await withRetries(start, policy)).status === 'done') break;
  }
  // This makes the agent close the stream, even if a process that left the session holds it open.
  await withRetries(() => killProcess(client, pid, policy.limits), policy);
}
