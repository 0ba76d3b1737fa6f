import type { Connection } from '../inputs/connection.ts';
import { type ExchangeOptions, openExchange } from './exchange.ts';
import { openHttp } from './http.ts';
import { readStats } from './stats-client.ts';
import { type UploadFileOnce, uploader } from './upload-client.ts';

/** The in-sandbox agent's operations, one attempt each. Their failures are AgentErrors. */
export interface AgentClient {
  readonly upload: UploadFileOnce;
  /** The stats as the text of a JSON object, secrets taken out. */
  readonly stats: () => Promise<string>;
  /** Ends what is in flight and closes every connection. */
  readonly close: () => Promise<void>;
}

/** What a client needs beside the connection. */
export interface ClientOptions extends ExchangeOptions {
  /** Connections at most. */
  readonly connections: number;
  /** Query parameters of every upload, beside `path`. */
  readonly query: Readonly<Record<string, string>>;
}

/** Opens a client for one sandbox. */
export function openClient(connection: Connection, options: ClientOptions): AgentClient {
  const http = openHttp(new URL(connection.baseUrl).origin, options.connections, connection.timeoutMs);
  const exchange = openExchange(connection, http, options);
  return {
    upload: uploader(connection, options.query, exchange),
    stats: () => readStats(connection, exchange),
    close: () => http.close(),
  };
}
