import type { Client, RequestLimits } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { type OomCount, oomKillsBetween } from './mark.ts';
import { killProcess, startProcess } from './process.ts';
import { bashCommand, endSessionText, exitCodeText, oomKillsText } from './shell.ts';

/** How to start further processes, which look after a command. */
export interface Link {
  readonly client: Client;
  readonly username: string;
  readonly limits: RequestLimits;
}

// END_SESSION takes up to 4 s; the rest is for a login profile and a slow network.
const END_SESSION_MS = 6000;

/** Ends a command and all its children. */
export async function endSession(link: Link, leader: number): Promise<void> {
  const { client, username, limits } = link;
  const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(END_SESSION_MS)]);
  const bounded = { ...limits, signal };
  const text = endSessionText(leader);
  // Only root may end what sudo has started, but not every sandbox has a user of that name.
  for (const user of ['root', username])
    if ((await readOutput({ client, username: user, limits: bounded }, text)) !== undefined) break;
  // This makes the agent close the stream, even if a process that left the session holds it open.
  await killProcess(client, leader, limits).catch(ignoreAgentError);
}

/** Returns the exit code of a process that the agent does not wait for, or undefined. */
export async function readExitCode(link: Link, pid: number): Promise<number | undefined> {
  const output = await readOutput(link, exitCodeText(pid));
  const [, status] = /^ended (\d+)$/m.exec(output ?? '') ?? [];
  if (status === undefined) return undefined;
  // The low byte of a wait status is the signal, if one killed the process.
  return Number(status) & 0x7f ? 128 + (Number(status) & 0x7f) : Number(status) >> 8;
}

/** Returns how many processes the kernel has killed since a count was read. */
export async function readOomKills(link: Link, before: OomCount): Promise<number | undefined> {
  const output = await readOutput(link, oomKillsText(before.group));
  const [, kills] = /^oom_kill (\d+)$/m.exec(output ?? '') ?? [];
  return kills === undefined
    ? undefined
    : oomKillsBetween(before, { ...before, kills: Number(kills) });
}

const MAX_OUTPUT = 1024 * 1024;

/** Runs a text and returns its output (1 MiB at most), or undefined if the agent fails. */
export async function readOutput(
  { client, username, limits }: Link,
  text: string,
): Promise<string | undefined> {
  const options = { ...bashCommand(text), env: {}, workingDirectory: '/', username };
  let output = '';
  const handlers = {
    onStart: () => {},
    onActivity: () => {},
    onOutput(bytes: Buffer) {
      if (output.length < MAX_OUTPUT) output += String(bytes);
    },
  };
  try {
    await startProcess(client, options, handlers, limits);
    return output;
  } catch (error) {
    return ignoreAgentError(error);
  }
}

function ignoreAgentError(error: unknown): undefined {
  if (!(error instanceof AgentError)) throw error;
}
