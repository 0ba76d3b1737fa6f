import pLimit, { type LimitFunction } from 'p-limit';
import type { AgentError } from '../agent/failure.ts';

export interface Concurrency {
  readonly limit: LimitFunction;
  /**
   * Call when a request begins; call what it returns when the request ends, with its error if it
   * failed.
   */
  readonly begin: () => (error?: AgentError) => void;
}

/** A limit that changed, and why. */
export interface ConcurrencyChange {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

const START = 8;

// Services fail from 30 connections on.
const MAX = 24;

/** Limits requests. With `auto`, the limit grows with successes, and halves at a sign of overload. */
export function adaptConcurrency(
  input: number | 'auto',
  onChange: (change: ConcurrencyChange) => void,
): Concurrency {
  if (input !== 'auto') return { limit: pLimit(input), begin: () => () => {} };
  const limit = pLimit(START);
  const state = { halvings: 0, successes: 0 };

  function change(wanted: number, reason: string): void {
    const from = limit.concurrency;
    const to = Math.min(MAX, Math.max(1, wanted));
    state.successes = 0;
    if (to === from) return;
    limit.concurrency = to;
    onChange({ from, to, reason });
  }

  function succeed(): void {
    state.successes += 1;
    // Growing with every success doubles the limit each round, and would hit the same overload again.
    const needed = state.halvings === 0 ? 1 : limit.concurrency;
    if (state.successes >= needed) change(limit.concurrency + 1, 'requests succeed');
  }

  return {
    limit,
    begin() {
      const begun = state.halvings;
      return error => {
        if (error === undefined) succeed();
        // A request from before the last halving says nothing about the new limit.
        else if (isOverload(error) && begun === state.halvings) {
          state.halvings += 1;
          change(Math.floor(limit.concurrency / 2), error.message);
        }
      };
    },
  };
}

function isOverload({ kind, status }: AgentError): boolean {
  const isLost = kind === 'connection' || kind === 'unreachable' || kind === 'stalled';
  return isLost || status === 429 || status === 503;
}
