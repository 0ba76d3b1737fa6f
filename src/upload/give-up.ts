import type { AgentError } from '../agent/failure.ts';

/** An outage of this length is survived, in milliseconds. */
export const GIVE_UP_MS = 60_000;

export type GivingUp = ReturnType<typeof watchForGivingUp>;

/**
 * Gives up once a file has used up its attempts, another one that was begun after that has too, and
 * nothing has arrived for a minute. Neither a few bad files among good ones, nor the requests of
 * one moment that meet the same outage, add up to that.
 */
export function watchForGivingUp(clock: () => number) {
  const state = { lastArrival: clock(), firstLoss: Number.POSITIVE_INFINITY };
  return {
    arrived() {
      state.lastArrival = clock();
      state.firstLoss = Number.POSITIVE_INFINITY;
    },
    /** Reports a lost request. True if the transfer is to be given up. */
    lost(error: AgentError, begunAt: number): boolean {
      // A failure that lies in the file itself says nothing about the others.
      if (!error.isRetryable || error.kind === 'file-changed') return false;
      if (begunAt >= state.firstLoss && clock() - state.lastArrival >= GIVE_UP_MS) return true;
      state.firstLoss = Math.min(state.firstLoss, clock());
      return false;
    },
  };
}
