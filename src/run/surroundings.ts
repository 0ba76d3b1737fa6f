import { type AgentClient, openClient } from '../agent/client.ts';
import type { RetryPolicy } from '../agent/retry.ts';
import type { Connection } from '../inputs/connection.ts';
import type { UploadTask } from '../inputs/tasks.ts';
import type { UploadInputs } from '../inputs/upload.ts';
import { highestLevel } from '../upload/level.ts';
import type { TransferEvent } from '../upload/result.ts';
import type { Selection } from '../upload/selection.ts';
import { exchangeOptions } from './exchange-options.ts';
import type { Fact } from './fact.ts';

/** What a run depends on beside its inputs. */
export interface Surroundings {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  readonly userAgent: string;
  /** Ends the run early; it still reports. */
  readonly cancel: AbortSignal;
  readonly sleep: RetryPolicy['sleep'];
  readonly random: () => number;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  /** Told what happens as it happens. */
  readonly observer: Observer;
}

/** Whoever shows a run while it goes on. */
export interface Observer {
  planned(selection: Selection, task: UploadTask): void;
  waiting(connection: Connection, timeoutMs: number): void;
  event(event: TransferEvent): void;
  /** Undefined where nobody asks for facts: then none is put together. */
  readonly fact?: ((fact: Fact) => void) | undefined;
}

/** A connection to the sandbox for as long as `use` takes. */
export async function withClient<T>(
  connection: Connection,
  { concurrency, query, stateFile }: UploadInputs,
  surroundings: Surroundings,
  use: (client: AgentClient) => Promise<T>,
): Promise<T> {
  const connections = highestLevel(concurrency);
  const hashed = stateFile !== '';
  const client = await openClient(connection, {
    connections,
    query,
    hashed,
    ...exchangeOptions(surroundings),
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
