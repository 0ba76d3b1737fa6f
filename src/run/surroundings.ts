import type { ClientOptions } from '../agent/client.ts';
import type { RetryPolicy } from '../agent/retry.ts';
import type { Inputs } from '../inputs/table.ts';
import type { Wait } from '../stats/sample.ts';
import type { TransferEvent } from '../upload/result.ts';
import type { Selection, SelectionOptions } from '../upload/selection.ts';

/** What a run depends on beside its inputs. */
export interface Surroundings
  extends SelectionOptions,
    Pick<ClientOptions, 'now'>,
    Pick<RetryPolicy, 'sleep' | 'random'> {
  /** What to warn of where a state file changes. */
  readonly cacheWarnings: readonly string[];
  /** Told what happens as it happens. */
  readonly observer: Observer;
}

/** Whoever shows a run while it goes on. */
export interface Observer {
  planned(selection: Selection, inputs: Inputs<'upload'>): void;
  waiting(inputs: Inputs<'stats'>): void;
  /** After each reading of a wait. */
  waited(wait: Wait): void;
  event(event: TransferEvent): void;
}
