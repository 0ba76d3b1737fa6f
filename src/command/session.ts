import { type Client, postJson, type RequestLimits } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import { withRetries } from '../agent/retry.ts';
import { type OomCount, oomKillsBetween, parseNumber } from './mark.ts';
import { startProcess } from './process.ts';
import { bashCommand, endSessionText, exitCodeText, oomKillsText } from './shell.ts';

/** How to start further processes, which look after a command. */
export interface Starter {
  readonly client: Client;
  readonly username: string;
  readonly limits: RequestLimits;
}

// Ending a session takes up to 4 s; the rest is for a login profile and a slow network.
const MAX_MS = 6000;

// Below MAX_MS, since a request that stalls is repeated, but one that takes too long in all is not.
const TIMEOUT_MS = 5000;

const PERSISTENT = { retries: 10, onRetry: () => {} };

/** Ends a command and all its children. */
export async function endSession(
  starter: Starter,
  leader: number,
  context: Context,
): Promise<void> {
  const { client, username, limits } = starter;
  const stop = AbortSignal.any([limits.signal, AbortSignal.timeout(MAX_MS)]);
  const policy = { ...context, ...PERSISTENT, stop };
  const text = endSessionText(leader);
  // Only root may end what sudo has started, but not every sandbox has a user of that name.
  for (const user of ['root', username]) {
    const end = () => run({ ...starter, username: user }, text, stop);
    if ((await withRetries(end, policy)).status === 'done') break;
  }
  // This makes the agent close the stream, even if a process that left the session holds it open.
  const message = { process: { pid: leader }, signal: 'SIGNAL_SIGKILL' };
  const kill = () => client.send(postJson('/process.Process/SendSignal', message, limits));
  await withRetries(kill, { ...policy, stop: limits.signal });
}

/** Returns the exit code of a process that the agent does not wait for, or undefined. */
export async function readExitCode(
  starter: Starter,
  pid: number,
  context: Context,
): Promise<number | undefined> {
  const policy = { ...context, ...PERSISTENT, stop: starter.limits.signal };
  const outcome = await withRetries(() => run(starter, exitCodeText(pid)), policy);
  const output = outcome.status === 'done' ? outcome.value : '';
  const status = parseNumber(/^ended (\d+)$/m.exec(output)?.[1]);
  if (status === undefined) return undefined;
  // The low bits of a wait status are the signal, if one killed the process.
  return status & 0x7f ? 128 + (status & 0x7f) : status >> 8;
}

/** Returns how many processes the kernel has killed since a count was read. */
export async function readOomKills(
  starter: Starter,
  before: OomCount,
): Promise<number | undefined> {
  const output = await readOutput(starter, oomKillsText(before.group));
  const kills = parseNumber(/^oom_kill (\d+)$/m.exec(output ?? '')?.[1]);
  return oomKillsBetween(before, { ...before, kills });
}

/** Runs a text and returns its output, or undefined if the agent fails. */
export function readOutput(starter: Starter, text: string): Promise<string | undefined> {
  return run(starter, text).catch(ignoreAgentError);
}

// More than the longest list of programs.
const MAX_OUTPUT = 1024 * 1024;

async function run(
  { client, username, limits }: Starter,
  text: string,
  stop = AbortSignal.timeout(MAX_MS),
): Promise<string> {
  const options = { ...bashCommand(text), env: {}, workingDirectory: '/', username };
  let output = '';
  const onOutput = (bytes: Buffer) =>
    void (output = `${output}${String(bytes)}`.slice(-MAX_OUTPUT));
  const signal = AbortSignal.any([limits.signal, stop]);
  await startProcess(client, options, { onOutput }, { signal, timeout: TIMEOUT_MS });
  return output;
}

function ignoreAgentError(error: unknown): undefined {
  if (!(error instanceof AgentError)) throw error;
}
