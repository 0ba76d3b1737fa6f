import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ConnectError } from './connect.ts';

/** Takes a chunk of output. The command waits until all of its followers have taken it. */
export type Follower = (data: { stdout: string } | { stderr: string }) => Promise<void>;

/** How a command ended, with the fields that envd sends. */
export interface EndEvent {
  readonly exitCode?: number;
  readonly exited?: true;
  readonly status: string;
  readonly error?: string;
}

export interface CommandOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Directory on this machine. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A command that was started. */
export interface Command {
  readonly pid: number;
  readonly followers: Set<Follower>;
  /** Resolves when the process has ended and its output is closed. */
  readonly ended: Promise<EndEvent>;
  readonly isRunning: () => boolean;
  /** Signals the process, but none of its children. */
  readonly kill: (signal: NodeJS.Signals) => void;
}

// As large as envd's.
const MAX_CHUNK = 32 * 1024;

/**
 * Starts a command, in the process group of this process as envd does.
 * @throws ConnectError if it cannot be started
 */
export async function startCommand(options: CommandOptions): Promise<Command> {
  const { child, pid } = await spawnShell(options);
  const followers = new Set<Follower>();
  const exited = new Promise<EndEvent>(resolve => {
    child.once('exit', (code, signal) => resolve(endEvent(code, signal)));
  });
  const forward = (stream: Readable, wrap: (base64: string) => Parameters<Follower>[0]) =>
    forwardOutput(stream, chunk => {
      const data = wrap(chunk.toString('base64'));
      return Promise.all([...followers].map(take => take(data)));
    });
  const ended = Promise.all([
    exited,
    forward(child.stdout, stdout => ({ stdout })),
    forward(child.stderr, stderr => ({ stderr })),
  ]).then(([end]) => end);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  function kill(signal: NodeJS.Signals): void {
    if (isRunning()) process.kill(pid, signal);
    // After a signal, envd does not wait for children that hold the output.
    void exited.then(() => [child.stdout.destroy(), child.stderr.destroy()]);
  }
  return { pid, followers, ended, isRunning, kill };
}

/** Starts through a shell, as envd does: without the program, the command still starts, and exits with 127. */
async function spawnShell({ command, ...options }: CommandOptions) {
  try {
    const child = spawn('/bin/sh', ['-c', 'exec "$@"', '/bin/sh', ...command], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await once(child, 'spawn');
    return { child, pid: child.pid ?? 0 };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `error starting process '${command.join(' ')}': ${reason}`;
    throw new ConnectError('invalid_argument', problem);
  }
}

/** Reads until the stream ends or is destroyed. */
async function forwardOutput(
  stream: Readable,
  send: (chunk: Buffer) => Promise<unknown>,
): Promise<void> {
  try {
    for await (const read of stream) {
      const whole = Buffer.from(read);
      for (let at = 0; at < whole.length; at += MAX_CHUNK)
        await send(whole.subarray(at, at + MAX_CHUNK));
    }
  } catch {
    // It was destroyed after a signal.
  }
}

/** Go's names of common signals. */
const SIGNAL_NAMES: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
};

function endEvent(code: number | null, signal: NodeJS.Signals | null): EndEvent {
  if (code === 0) return { exited: true, status: 'exit status 0' };
  if (code !== null) {
    const status = `exit status ${code}`;
    return { exitCode: code, exited: true, status, error: status };
  }
  const status = `signal: ${SIGNAL_NAMES[String(signal)] ?? signal}`;
  return { exitCode: -1, status, error: status };
}
