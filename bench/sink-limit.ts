import path from 'node:path';
import { type Command, measure } from './process.ts';
import type { SinkLimit } from './results.ts';
import type { Sink } from './sink.ts';

const SENDERS = 2;
const MIB = 1024 ** 2;

/** Loads the sink with two processes that do nothing but send, to see that it is not what the bench measures. */
export async function measureSink(sink: Sink, ms: number): Promise<SinkLimit> {
  const small = await load(sink, { bytes: 4096, connections: 5, ms });
  const large = await load(sink, { bytes: 16 * MIB, connections: 1, ms });
  return { requestsPerSecond: small, bytesPerSecond: large * 16 * MIB };
}

interface Load {
  readonly bytes: number;
  readonly connections: number;
  readonly ms: number;
}

/** Requests per second. */
async function load(sink: Sink, { bytes, connections, ms }: Load): Promise<number> {
  const script = path.join(import.meta.dirname, 'sink/load.ts');
  const numbers = [new URL(sink.url).port, bytes, connections, ms].map(String);
  const command: Command = { file: process.execPath, args: [script, ...numbers], cwd: '.', env: {} };
  const ended = await Promise.all(Array.from({ length: SENDERS }, () => measure(command)));
  return ended.reduce((sum, { stdout }) => sum + Number(stdout), 0) / (ms / 1000);
}
