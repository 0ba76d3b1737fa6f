import { createFaultQueue, type Fault } from './faults.ts';
import { type AgentOptions, settingsOf } from './options.ts';
import { createServer, listen } from './server.ts';
import { openService } from './service.ts';
import { createTrafficLog, type Traffic } from './traffic.ts';

/** A running agent. */
export interface LocalAgent extends Traffic, AsyncDisposable {
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  /** Appends rules after those in force. */
  readonly addFaults: (...faults: readonly Fault[]) => void;
  /** Closes all connections and waits until nothing is at work any more. */
  readonly close: () => Promise<void>;
}

/** Starts an agent; it is ready when the promise resolves. */
export async function startAgent(options: AgentOptions): Promise<LocalAgent> {
  const settings = settingsOf(options);
  const traffic = createTrafficLog(settings.record);
  const faults = createFaultQueue(settings.faults);
  const closing = new AbortController();
  const service = openService(settings, { traffic, faults, closing: closing.signal });
  const server = createServer(settings.tls, service.serve);
  server.on('connection', traffic.connected);
  const url = await listen(server, settings);

  async function close(): Promise<void> {
    closing.abort();
    server.close();
    traffic.destroyConnections();
    await service.idle();
  }
  return {
    url,
    requests: traffic.requests,
    connections: traffic.connections,
    get maxInFlight() {
      return traffic.maxInFlight;
    },
    addFaults: (...added) => faults.add(added),
    close,
    [Symbol.asyncDispose]: close,
  };
}
