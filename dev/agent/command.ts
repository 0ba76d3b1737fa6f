import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { ConnectError, endFrame, STREAM, sendEvent } from './connect.ts';

export interface CommandOptions {
  readonly command: readonly string[];
  /** Path on this machine, not in the sandbox. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export type Command = Awaited<ReturnType<typeof startCommand>>;

/** Starts a command in the process group of this process, as envd does. */
export async function startCommand({ command, ...options }: CommandOptions) {
  // Use a shell, as envd does: if the program is missing, the shell exits with 127.
  const child = spawn('/bin/sh', ['-c', 'exec "$@"', '/bin/sh', ...command], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  /** Clients to forward output to. Reading pauses until each chunk has been sent to all of them. */
  const followers = new Set<ServerResponse>();
  const exited = once(child, 'exit').then(([code, signal]) => endEvent(code, signal));
  const ended = Promise.all([
    exited,
    forward(child.stdout, 'stdout', followers),
    forward(child.stderr, 'stderr', followers),
  ]).then(([end]) => end);
  const closeOutput = () => [child.stdout.destroy(), child.stderr.destroy()];
  const { promise: lost, resolve: lose } = Promise.withResolvers<ConnectError>();

  return {
    pid,
    /** Kills the process, but none of its children. Returns false if it has already ended. */
    kill(): boolean {
      const isKilled = child.kill('SIGKILL');
      // After a signal, envd does not wait for children that keep the output open.
      if (isKilled) void exited.then(closeOutput);
      return isKilled;
    },
    /** Kills the command, and ends all streams as the proxy does once the sandbox is gone. */
    loseSandbox(): void {
      lose(new ConnectError('unavailable', LOST));
      killGroup(child);
      closeOutput();
    },
    /** Streams the output from now on, then the end. Resolves early if the client disconnects. */
    async follow({ headers }: IncomingMessage, response: ServerResponse): Promise<undefined> {
      const seconds = Number(headers['keepalive-ping-interval'] ?? 90);
      response.writeHead(200, { 'Content-Type': STREAM });
      void sendEvent(response, { start: { pid } });
      const timer = setInterval(() => void sendEvent(response, { keepalive: {} }), seconds * 1000);
      followers.add(response);
      const closed = once(response, 'close').then(() => undefined);
      const end = await Promise.race([lost, ended, closed]);
      followers.delete(response);
      clearInterval(timer);
      if (end === undefined) return;
      if (!(end instanceof ConnectError)) void sendEvent(response, { end });
      response.end(endFrame(end instanceof ConnectError ? end : undefined));
    },
  };
}

/** Kills a process and, if it leads a process group, the whole group. */
function killGroup(child: ChildProcess): void {
  try {
    process.kill(-Number(child.pid), 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

const LOST = 'the connection to the sandbox ended before the stream completed';

async function forward(
  output: Readable,
  name: 'stdout' | 'stderr',
  followers: ReadonlySet<ServerResponse>,
): Promise<void> {
  try {
    for await (const chunk of output) {
      const data = { [name]: Buffer.from(chunk).toString('base64') };
      await Promise.all([...followers].map(response => sendEvent(response, { data })));
    }
  } catch {
    // `kill` destroyed the stream.
  }
}

/** Names of common signals in Go, as envd reports them. */
const SIGNAL_NAMES: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGSEGV: 'segmentation fault',
  SIGTERM: 'terminated',
};

/** Returns the end of a command with the fields that envd sends. */
function endEvent(code: number | null, signal: NodeJS.Signals | null): object {
  if (code === 0) return { exited: true, status: 'exit status 0' };
  const name = SIGNAL_NAMES[String(signal)] ?? signal;
  const status = code === null ? `signal: ${name}` : `exit status ${code}`;
  const failure = { exitCode: code ?? -1, status, error: status };
  return code === null ? failure : { exited: true, ...failure };
}
