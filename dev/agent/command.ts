import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { beginStream, ConnectError, endStream, sendEvent } from './connect.ts';

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
  const exited = new Promise<object>(resolve => {
    child.once('exit', (code, signal) => resolve(endEvent(code, signal)));
  });
  const ended = Promise.all([
    exited,
    forward(child.stdout, 'stdout', followers),
    forward(child.stderr, 'stderr', followers),
  ]).then(([end]) => end);
  const { promise: lost, resolve: lose } = Promise.withResolvers<ConnectError>();
  const isRunning = () => child.exitCode === null && child.signalCode === null;

  return {
    pid,
    isRunning,
    /** Kills the process, but none of its children. */
    kill(): void {
      if (isRunning()) process.kill(pid, 'SIGKILL');
      // After a signal, envd does not wait for children that keep the output open.
      void exited.then(() => [child.stdout.destroy(), child.stderr.destroy()]);
    },
    /** Ends all streams, as the proxy does once the sandbox is gone. */
    loseSandbox: () => lose(new ConnectError('unavailable', LOST)),
    /** Streams the output from now on, then the end. Resolves early if the client disconnects. */
    async follow({ headers }: IncomingMessage, response: ServerResponse): Promise<undefined> {
      const seconds = Number(headers['keepalive-ping-interval'] ?? 90);
      beginStream(response);
      void sendEvent(response, { start: { pid } });
      const timer = setInterval(() => void sendEvent(response, { keepalive: {} }), seconds * 1000);
      followers.add(response);
      const closed = once(response, 'close').then(() => undefined);
      const end = await Promise.race([lost, ended, closed]);
      followers.delete(response);
      clearInterval(timer);
      if (end === undefined) return;
      if (!(end instanceof ConnectError)) void sendEvent(response, { end });
      endStream(response, end instanceof ConnectError ? end : undefined);
    },
  };
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
  if (code !== null) {
    const status = `exit status ${code}`;
    return { exitCode: code, exited: true, status, error: status };
  }
  const status = `signal: ${SIGNAL_NAMES[String(signal)] ?? signal}`;
  return { exitCode: -1, status, error: status };
}
