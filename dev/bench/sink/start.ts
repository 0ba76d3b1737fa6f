import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { TlsKeys } from '../../agent/options.ts';
import { bytesPerMs, type Place } from '../places.ts';

/** An upload server in its own process. */
export interface Target extends AsyncDisposable {
  /** Resets the counts, and returns the URL that reaches it in a place. */
  readonly setUp: (place: Place) => Promise<string>;
  /** What it has received since then. */
  readonly counts: () => Promise<Counts>;
}

/** What a server has received since it was set up. Null if unknown. */
export interface Counts {
  readonly connections: number | null;
  readonly requests: number | null;
  readonly files: number;
  /** Bytes of the files, without framing. */
  readonly bytes: number;
  /** Milliseconds of processor time that it took. */
  readonly cpuMs: number | null;
}

/** Where a sink listens. */
export interface Ports {
  readonly plain: number;
  readonly encrypted: number;
  /** The ports of the lines to them. */
  readonly plainLine: number;
  readonly encryptedLine: number;
}

/** Starts a sink, which discards what it gets, on free ports. Without keys, it has no TLS. */
export async function startSink({ key = '', cert = '' }: Partial<TlsKeys> = {}): Promise<Target> {
  const options = { serialization: 'advanced' } as const;
  const child = fork(
    path.join(import.meta.dirname, 'main.ts'),
    [String(key), String(cert)],
    options,
  );
  const ports: Ports = await nextMessage(child, [
    'plain',
    'encrypted',
    'plainLine',
    'encryptedLine',
  ]);
  const ask = async (message: object): Promise<Counts> => {
    const answer = nextMessage(child, ['connections', 'requests', 'files', 'bytes', 'cpuMs']);
    child.send(message);
    return await answer;
  };
  return {
    async setUp(place) {
      const { tls, latencyMs, megabits } = place;
      await ask({ latencyMs, bytesPerMs: bytesPerMs(place) });
      const [direct, line] = tls
        ? [ports.encrypted, ports.encryptedLine]
        : [ports.plain, ports.plainLine];
      const isDirect = latencyMs === 0 && megabits === null;
      return `${tls ? 'https' : 'http'}://127.0.0.1:${isDirect ? direct : line}`;
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

/** Whether a message has numbers under these names. */
export function hasNumbers<const Name extends string>(
  message: unknown,
  names: readonly Name[],
): message is Readonly<Record<Name, number>> {
  if (typeof message !== 'object' || message === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return names.every(name => typeof fields[name] === 'number');
}
