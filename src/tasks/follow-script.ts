import { once } from 'node:events';
import type { Client, RequestLimits } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import { type Outcome, type Retry, type RetryOptions, withRetries } from '../agent/retry.ts';
import {
  attachProcess,
  killProcess,
  type ProcessEnd,
  type ProcessHandlers,
  type ProcessOptions,
  startProcess,
} from '../command/process.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { CommandEnd } from '../report/command-section.ts';
import { formatDuration } from '../text/format.ts';

// Keepalives come every 10 s and may be late, so a shorter timeout could end a working connection.
const MIN_STREAM_TIMEOUT_MS = 30_000;

// With backoff, ten attempts take 1.5 to 3 minutes. E2B's agent only remembers an exit for 30 s,
// but the command may still be running.
const MAX_RECONNECTS = 10;

// END_SESSION takes up to 4 s; the rest is for a slow network.
const GIVE_UP_MS = 14_000;

/** Runs the script once, reconnecting if the connection is lost, and ends it on `stopScript`. */
export async function followScript(
  inputs: Inputs<'run'>,
  client: Client,
  context: Context,
  stopScript: AbortSignal,
  onOutput: ProcessHandlers['onOutput'],
): Promise<{ end: CommandEnd; reconnects: number }> {
  if (stopScript.aborted) {
    const error = new AgentError('cancelled', 'The job was cancelled.');
    return { end: { kind: 'not-started', error }, reconnects: 0 };
  }
  const giveUp = new AbortController();
  // A cancelled job must still stop the script, so `cancel` does not abort these requests.
  const stop = AbortSignal.any([context.killImminent, giveUp.signal]);
  const timeout = Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS);
  const policy = {
    ...context,
    limits: { signal: stop, timeout },
    retries: MAX_RECONNECTS,
    stop,
    onRetry: ({ error, delayMs }: Retry) =>
      context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`),
  };
  const { started, ended } = startScript(inputs, client, onOutput, policy);
  const stopped = once(stopScript, 'abort').then(() => 'stopped' as const);
  if ((await Promise.race([ended, stopped])) === 'stopped') {
    setTimeout(() => giveUp.abort(), GIVE_UP_MS).unref();
    const pid = await started;
    if (pid !== undefined) await endSession(client, pid, inputs.username, policy);
  }
  const outcome = await ended;
  const isStarted = (await started) !== undefined;
  return { end: toCommandEnd(outcome, isStarted), reconnects: outcome.attempts - 1 };
}

type Policy = RetryOptions & { readonly limits: RequestLimits };

/** `started` resolves to the script's PID, or to undefined if the script did not start. */
function startScript(
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

function toCommandEnd(outcome: Outcome<ProcessEnd>, isStarted: boolean): CommandEnd {
  if (outcome.status === 'done') return { kind: 'ended', ...outcome.value };
  const { error } = outcome;
  return { kind: isStarted || !error.hadNoEffect ? 'lost' : 'not-started', error };
}
