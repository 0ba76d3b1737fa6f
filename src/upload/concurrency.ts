import type { AgentError } from '../agent/failure.ts';

/** How many requests may be in flight at once. */
export interface Concurrency {
  readonly limit: () => number;
  /** Tells of a request that begins; the function returned is told how it ended. */
  readonly begin: () => (error?: AgentError) => void;
}

/** A limit that changed. */
export interface ConcurrencyChange {
  readonly from: number;
  readonly to: number;
  /** The failure that was a sign of overload; undefined if requests succeed. */
  readonly error: AgentError | undefined;
}

const START = 8;

// Services fail from 30 connections on.
const MAX = 24;

/** With `auto`, the limit grows with successes, and halves at a sign of overload. */
export function adaptConcurrency(
  input: number | 'auto',
  onChange: (change: ConcurrencyChange) => void,
): Concurrency {
  if (input !== 'auto') return { limit: () => input, begin: () => () => {} };
  const state = { limit: START, halvings: 0, successes: 0 };

  function set(to: number, error?: AgentError): void {
    const from = state.limit;
    state.limit = Math.min(MAX, Math.max(1, to));
    state.successes = 0;
    if (state.limit !== from) onChange({ from, to: state.limit, error });
  }

  function succeed(): void {
    state.successes += 1;
    // One more per success doubles every round, and would meet the same overload at once.
    const needed = state.halvings === 0 ? 1 : state.limit;
    if (state.successes >= needed) set(state.limit + 1);
  }

  return {
    limit: () => state.limit,
    begin() {
      const begun = state.halvings;
      return error => {
        if (error === undefined) succeed();
        // A request from before the last halving says nothing about the new limit.
        else if (isOverload(error) && begun === state.halvings) {
          state.halvings += 1;
          set(Math.floor(state.limit / 2), error);
        }
      };
    },
  };
}

function isOverload({ kind, status }: AgentError): boolean {
  const isLost = kind === 'connection' || kind === 'unreachable' || kind === 'stalled';
  return isLost || status === 429 || status === 503;
}
