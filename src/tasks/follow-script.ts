import { once } from 'node:events';
import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import {
  attachProcess,
  killProcess,
  type ProcessEnd,
  type ProcessHandlers,
  type ProcessOptions,
  startProcess,
} from '../agent/process.ts';
import { type Outcome, type Retry, type RetryOptions, withRetries } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { CommandEnd } from '../report/command-section.ts';
import { formatDuration } from '../text/format.ts';

// The agent sends a keepalive every 10 s.
const MIN_TIMEOUT_MS = 30_000;

// With backoff, 1.5 to 3 minutes. That is longer than the 30 s for which E2B's agent remembers an exit,
// because the command may still be running.
const MAX_RECONNECTS = 10;

// END_SESSION takes 4 s; the rest is for a slow network.
const GIVE_UP_MS = 14_000;

/** Runs the script once, and reconnects if the connection is lost. Ends the script on `stopScript`. */
export async function followScript(
  inputs: Inputs<'run'>,
  context: Context,
  stopScript: AbortSignal,
  onOutput: ProcessHandlers['onOutput'],
): Promise<{ end: CommandEnd; reconnects: number }> {
  if (stopScript.aborted) {
    const error = new AgentError('cancelled', 'The job was cancelled.');
    return { end: { kind: 'not-started', error }, reconnects: 0 };
  }
  const giveUp = new AbortController();
  // A cancelled job still has to stop the script.
  const stop = AbortSignal.any([context.killImminent, giveUp.signal]);
  const timeout = Math.max(inputs.timeout, MIN_TIMEOUT_MS);
  await using client = openAgent({ ...inputs, timeout }, { ...context, cancel: stop });
  const policy = {
    ...context,
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

/** `started` resolves to the script's PID, or to undefined if the script did not start. */
function startScript(
  inputs: Inputs<'run'>,
  client: Client,
  onOutput: ProcessHandlers['onOutput'],
  policy: RetryOptions,
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
        ? startProcess(client, wrap(inputs), handlers)
        : attachProcess(client, pid, handlers),
    // A start whose answer was lost may have succeeded, so never start twice.
    { ...policy, isRepeatable: () => pid !== undefined },
  ).finally(() => resolve(undefined));
  return { started, ended };
}

// Agents before 0.3 leave stdin open, and only a single stream keeps the order of stdout and stderr.
// setsid makes the script the leader of a session, so that its children can be ended with it. Skip it
// if the agent has already made this shell the leader of a group: setsid would fork, and the process
// that the agent watches would exit with 0 at once.
const WRAPPER = `exec 2>&1 </dev/null
read -r _ _ _ _ group _ 2>/dev/null </proc/$$/stat
[ "\${group:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;

// A login shell sets PATH as the image wants. The script gets a shell of its own: with -e in the login
// shell, Debian's .bash_logout would replace the exit code.
const SHELL = ['/bin/bash', '-l', '-c', 'exec bash -eo pipefail -c "$1"', '-'];

function wrap({ run, env, workingDirectory, username }: Inputs<'run'>): ProcessOptions {
  const args = ['-c', WRAPPER, '--', ...SHELL, run];
  return { command: '/bin/sh', args, env, workingDirectory, username };
}

// Sends TERM to the script and its children, and KILL after 4 s to those that are left, except zombies.
// Finds them by session, since programs such as timeout start a new group, or else by the group that
// the agent started.
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
  policy: RetryOptions,
): Promise<void> {
  const args = ['-c', END_SESSION, '--', String(pid)];
  const options = { command: '/bin/sh', args, env: {}, workingDirectory: '/' };
  const handlers = { onStart: () => {}, onOutput: () => {} };
  // Only root may end what sudo has started, but not every sandbox has a root.
  for (const user of ['root', username]) {
    const start = () => startProcess(client, { ...options, username: user }, handlers);
    if ('value' in (await withRetries(start, policy))) break;
  }
  // This makes the agent close the stream, even if a process that left the session holds it open.
  await withRetries(() => killProcess(client, pid), policy);
}

function toCommandEnd(outcome: Outcome<ProcessEnd>, isStarted: boolean): CommandEnd {
  if ('value' in outcome) return { kind: 'ended', ...outcome.value };
  const { error } = outcome;
  return { kind: isStarted || !error.hadNoEffect ? 'lost' : 'not-started', error };
}
