import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A server in its own process that takes uploads and throws them away. */
export interface Sink extends AsyncDisposable {
  readonly url: string;
  /** Begins to count anew, and holds each answer back for so many milliseconds. */
  readonly setUp: (latencyMs: number) => Promise<void>;
  /** What was received since. */
  readonly counts: () => Promise<Counts>;
}

/** What a sink has received since it was set up. */
export interface Counts {
  readonly connections: number;
  readonly requests: number;
  readonly files: number;
  /** Bytes of the files, without what is round them. */
  readonly bytes: number;
  /** Milliseconds of processor time that it took. */
  readonly cpuMs: number;
}

/** Starts a sink on a free port. */
export async function startSink(): Promise<Sink> {
  const child = fork(path.join(import.meta.dirname, 'main.ts'));
  const { port } = await nextMessage(child, ['port']);
  const ask = async (message: object) => {
    const answer = nextMessage(child, ['connections', 'requests', 'files', 'bytes', 'cpuMs']);
    child.send(message);
    return await answer;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    async setUp(latencyMs) {
      await ask({ latencyMs });
    },
    counts: () => ask({}),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function nextMessage<const Name extends string>(child: ChildProcess, names: readonly Name[]) {
  const [message]: unknown[] = await once(child, 'message');
  if (hasNumbers(message, names)) return message;
  throw new Error(`The sink said ${JSON.stringify(message)}`);
}

/** Whether a message of the other process has numbers by these names. */
export function hasNumbers<const Name extends string>(
  message: unknown,
  names: readonly Name[],
): message is Readonly<Record<Name, number>> {
  if (typeof message !== 'object' || message === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return names.every(name => typeof fields[name] === 'number');
}
