import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type Counts, isAddress, isCounts, type Setup } from './sink/messages.ts';

/** A server in its own process that takes uploads and throws them away. */
export interface Sink extends AsyncDisposable {
  readonly url: string;
  /** Begins to count anew. */
  readonly setUp: (setup: Setup) => Promise<void>;
  /** What was received since. */
  readonly counts: () => Promise<Counts>;
}

/** Starts a sink on a free port. */
export async function startSink(): Promise<Sink> {
  const child = fork(path.join(import.meta.dirname, 'sink/main.ts'));
  const address = await nextMessage(child);
  if (!isAddress(address)) throw new Error(`The sink said ${JSON.stringify(address)}`);
  return {
    url: `http://127.0.0.1:${address.port}`,
    async setUp(setup) {
      await ask(child, setup);
    },
    counts: () => ask(child, {}),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

async function ask(child: ChildProcess, message: object): Promise<Counts> {
  const answer = nextMessage(child);
  child.send(message);
  const counts = await answer;
  if (!isCounts(counts)) throw new Error(`The sink said ${JSON.stringify(counts)}`);
  return counts;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message]: unknown[] = await once(child, 'message');
  return message;
}
