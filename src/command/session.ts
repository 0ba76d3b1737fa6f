import { type Client, postJson, type RequestLimits } from '../agent/client.ts';
import { AgentError } from '../agent/failure.ts';
import { withRetries } from '../agent/retry.ts';
import type { Context } from '../inputs/context.ts';
import { startProcess } from './process.ts';
import { endSessionScript } from './shell.ts';

/** How to start a helper process beside a command. */
export interface HelperOptions {
  readonly client: Client;
  readonly username: string;
  readonly limits: RequestLimits;
}

// The end script takes up to 4 s; the rest is for a login profile and a slow network.
const MAX_END_SESSION_MS = 6000;

// Below MAX_END_SESSION_MS, so that a request whose connection is dead is repeated.
const STALL_MS = 5000;

/** Ends a command and all its children. */
export async function endSession(
  options: HelperOptions,
  leader: number,
  context: Context,
): Promise<void> {
  const { client, limits } = options;
  const policy = { ...context, retries: 10, onRetry: () => {} };
  const soon = AbortSignal.any([limits.signal, AbortSignal.timeout(MAX_END_SESSION_MS)]);
  const bounded = { ...options, limits: { signal: soon, timeout: STALL_MS } };
  const end = () => runAsRoot(bounded, endSessionScript(leader));
  await withRetries(end, { ...policy, stop: soon });
  // This makes the agent close the stream, even if a process that left the session holds it open.
  const message = { process: { pid: leader }, signal: 'SIGNAL_SIGKILL' };
  const kill = () => client.send(postJson('/process.Process/SendSignal', message, limits));
  await withRetries(kill, { ...policy, stop: limits.signal });
}

/** Asks the kernel for the exit code of a process that the agent has not reaped yet. */
export async function readExitCode(
  options: HelperOptions,
  pid: number,
): Promise<number | undefined> {
  // Not as root: only the owner of a process may certainly see its code, see proc_pid_stat(5).
  // gVisor has 0 in place of a code, and of the address of a stack (field 28).
  const script = `cut -d ' ' -f 3,52 /proc/${pid}/stat; cut -d ' ' -f 28 /proc/self/stat`;
  const output = await captureOutput(options, script).catch(() => '');
  const [, status] = /^Z (\d+)\n[1-9]/m.exec(output) ?? [];
  if (status === undefined) return undefined;
  const signal = Number(status) & 0x7f;
  return signal === 0 ? Number(status) >> 8 : 128 + signal;
}

/** Runs a script as root, who may end what sudo has started, or else as the user. Returns its output. */
export async function runAsRoot(options: HelperOptions, script: string): Promise<string> {
  try {
    return await captureOutput({ ...options, username: 'root' }, script);
  } catch (error) {
    // Not every sandbox has a user of that name.
    if (!(error instanceof AgentError) || error.isRetryable) throw error;
    return await captureOutput(options, script);
  }
}

// More than the longest list of programs.
const MAX_CAPTURED_LENGTH = 1024 * 1024;

async function captureOutput(
  { client, username, limits }: HelperOptions,
  script: string,
): Promise<string> {
  const process = { script, env: {}, workingDirectory: '/', username };
  let output = '';
  const onOutput = (bytes: Buffer) =>
    void (output = `${output}${String(bytes)}`.slice(-MAX_CAPTURED_LENGTH));
  await startProcess(client, process, { onOutput }, limits);
  return output;
}
