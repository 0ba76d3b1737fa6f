import type { RetryPolicy } from '../agent/retry.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Wait } from '../stats/sample.ts';
import type { TransferEvent } from '../upload/result.ts';
import type { PlanContext, PlannedUpload } from './plan.ts';

/** What a run depends on besides its inputs. */
export interface Context extends PlanContext, Pick<RetryPolicy, 'sleep' | 'random'> {
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Warnings for a run that changes a state file: a cache may not keep it. */
  readonly cacheWarnings: readonly string[];
  readonly observer: Observer;
}

/** Shows a run while it goes on. */
export interface Observer {
  readonly planned: (upload: PlannedUpload, inputs: Inputs<'upload'>) => void;
  readonly waiting: (inputs: Inputs<'stats'>) => void;
  /** Told after each sample of a wait. */
  readonly waited: (wait: Wait) => void;
  readonly event: (event: TransferEvent) => void;
}
