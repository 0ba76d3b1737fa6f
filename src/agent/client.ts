import type { Connection } from '../inputs/connection.ts';
import { watchConnections } from './connections.ts';
import { type ExchangeOptions, openExchange } from './exchange.ts';
import { openHttp } from './http.ts';
import { type ReadStats, readStats } from './stats-client.ts';
import { type UploadOptions, type Uploads, uploads } from './upload-client.ts';

/** The in-sandbox agent's operations, one attempt each. Their failures are AgentErrors. */
export interface AgentClient extends Uploads {
  readonly stats: ReadStats;
  /** Ends what is in flight and closes every connection. */
  readonly close: () => Promise<void>;
}

/** What a client needs beside the connection. */
export interface ClientOptions extends ExchangeOptions, UploadOptions {
  /** Connections at most. */
  readonly connections: number;
}

/** Opens a client for one sandbox. */
export async function openClient(connection: Connection, options: ClientOptions): Promise<AgentClient> {
  const http = await openHttp(new URL(connection.baseUrl).origin, options.connections, connection.timeoutMs);
  const exchange = openExchange(connection, http, options);
  const unwatch = options.watch && watchConnections(options.watch.opened);
  return {
    ...uploads(connection, options, exchange),
    stats: () => readStats(connection, exchange),
    async close() {
      unwatch?.();
      await http.close();
    },
  };
}
