import { once } from 'node:events';
import { type Client, openClient, type Service } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import {
  attachProcess,
  killProcess,
  type ProcessEnd,
  type ProcessHandlers,
  type ProcessOptions,
  startProcess,
} from '../agent/process.ts';
import { type Outcome, type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { CommandEnd } from '../report/command-section.ts';
import { formatDuration } from '../text/format.ts';
import type { Context } from './context.ts';

type ScriptInputs = Pick<Inputs<'run'>, 'run' | 'env' | 'workingDirectory' | 'username'>;

interface ScriptOptions extends ScriptInputs, Pick<ProcessHandlers, 'onOutput'> {
  /** Ends the script and its children. */
  readonly stopScript: AbortSignal;
}

interface FollowedScript {
  readonly end: CommandEnd;
  readonly reconnects: number;
}

/** Runs a script once, and reconnects if the connection is lost. */
export async function followScript(
  service: Service,
  options: ScriptOptions,
  context: Context,
): Promise<FollowedScript> {
  if (options.stopScript.aborted) {
    const error = new AgentError('cancelled', 'The job was cancelled.');
    return { end: { kind: 'not-started', error }, reconnects: 0 };
  }
  const giveUp = new AbortController();
  // A cancelled job still has to stop the script.
  const cancel = AbortSignal.any([context.killImminent, giveUp.signal]);
  const lasting = { ...context, cancel };
  await using client = openClient(service, lasting);
  return await follow(client, options, lasting, giveUp);
}

async function follow(
  client: Client,
  options: ScriptOptions,
  context: Context,
  giveUp: AbortController,
): Promise<FollowedScript> {
  const { promise: started, resolve } = Promise.withResolvers<number>();
  let pid: number | undefined;
  const handlers: ProcessHandlers = {
    onOutput: options.onOutput,
    onStart(startedPid) {
      pid = startedPid;
      resolve(startedPid);
    },
  };
  const policy = { ...context, retries: MAX_RECONNECTS, stop: context.cancel };
  const following = withRetries(
    () =>
      pid === undefined
        ? startProcess(client, wrap(options), handlers)
        : attachProcess(client, pid, handlers),
    {
      ...policy,
      // A start whose answer was lost may have succeeded, so never start twice.
      isRepeatable: () => pid !== undefined,
      onRetry({ error, delayMs }) {
        context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
      },
    },
  );
  const ended = following.then(() => 'ended' as const);
  const stopped = once(options.stopScript, 'abort').then(() => 'stopped' as const);
  if ((await Promise.race([ended, stopped])) === 'stopped') {
    setTimeout(() => giveUp.abort(), GIVE_UP_MS).unref();
    const session = await Promise.race([ended, started]);
    if (session !== 'ended') await endSession(client, session, options, policy);
  }
  const outcome = await following;
  return { end: toCommandEnd(outcome, pid !== undefined), reconnects: outcome.attempts - 1 };
}

// Spans a few minutes, although E2B's agent remembers the end of a process for only 30 s.
const MAX_RECONNECTS = 10;

const KILL_AFTER_MS = 4000;
const GIVE_UP_MS = KILL_AFTER_MS + 10_000;

// Agents before 0.3 leave stdin open, and the order of stdout and stderr is only kept in one stream.
// The script leads a session, so that it can be ended with its children. If the agent has already made
// it the leader of a group, setsid would fork, and its parent would exit with 0 at once.
const WRAPPER = `exec 2>&1 </dev/null
read -r _ _ _ _ group _ 2>/dev/null </proc/$$/stat
[ "\${group:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;

// A login shell sets PATH as the image wants. The script gets a shell of its own: with -e in the login
// shell, Debian's .bash_logout would replace the exit code.
const SHELL = ['/bin/bash', '-l', '-c', 'exec bash -eo pipefail -c "$1"', '-'];

function wrap({ run, env, workingDirectory, username }: ScriptInputs): ProcessOptions {
  const args = ['-c', WRAPPER, '--', ...SHELL, run];
  return { command: '/bin/sh', args, env, workingDirectory, username };
}

// TERM, and KILL after 4 s to what is left. Zombies do not count. By session, since programs such as
// timeout start a group of their own; by group if the agent started one, so there is no session.
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

/** Kills a process and those of its children that have not left its session. */
async function endSession(
  client: Client,
  pid: number,
  { username }: ScriptInputs,
  policy: RetryPolicy & { readonly stop: AbortSignal },
): Promise<void> {
  const args = ['-c', END_SESSION, '--', String(pid)];
  const handlers = { onStart: () => {}, onOutput: () => {} };
  const options = { command: '/bin/sh', args, env: {}, workingDirectory: '/' };
  // Only root may end what sudo has started, but not every sandbox has a root.
  for (const user of ['root', username]) {
    const start = () => startProcess(client, { ...options, username: user }, handlers);
    const outcome = await withRetries(start, { ...policy, onRetry: () => {} });
    if ('value' in outcome) break;
  }
  // Closes the stream, even if a process that left the session holds it open.
  await withRetries(() => killProcess(client, pid), { ...policy, onRetry: () => {} });
}

function toCommandEnd(outcome: Outcome<ProcessEnd>, isStarted: boolean): CommandEnd {
  if ('value' in outcome) return { kind: 'ended', ...outcome.value };
  const { error } = outcome;
  return { kind: isStarted || mayHaveStarted(error) ? 'lost' : 'not-started', error };
}

// A proxy that gave up on the agent answers 408 or 5xx.
function mayHaveStarted({ kind, isUnsent, status }: AgentError): boolean {
  if (isUnsent || kind === 'sandbox-not-found' || kind === 'rejected') return false;
  return status === undefined || status === 408 || status >= 500;
}
