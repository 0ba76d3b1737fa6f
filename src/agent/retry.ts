import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from './failure.ts';

export interface RetryPolicy {
  readonly retries: number;
  /** Waits so many milliseconds, or until the signal aborts; true if it waited to the end. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<boolean>;
  /** A number from 0 up to but not including 1. */
  readonly random: () => number;
}

/** An attempt that failed and will be repeated. */
export interface Retry {
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly error: AgentError;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** How a request ended, after how many attempts. */
export type Outcome<T> =
  | { readonly attempts: number; readonly value: T }
  | { readonly attempts: number; readonly error: AgentError };

interface RetryOptions extends RetryPolicy {
  /** Ends the retries. A request in flight is not aborted. */
  readonly stop: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  /** Whether a request may be repeated after a retryable failure. Default true. */
  readonly isRepeatable?: (error: AgentError) => boolean;
}

/** Repeats a request until it succeeds, fails for good, or has no retries left. */
export async function withRetries<T>(
  request: () => Promise<T>,
  { retries, random, sleep, stop, onRetry, isRepeatable = () => true }: RetryOptions,
): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { attempts: attempt, value: await request() };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const isLast = attempt > retries || !error.isRetryable || !isRepeatable(error);
      if (isLast || stop.aborted) return { attempts: attempt, error };
      const delayMs = backoff(attempt, random, error.retryAfterMs);
      onRetry({ attempt, error, delayMs });
      if (!(await sleep(delayMs, stop))) return { attempts: attempt, error };
    }
  }
}

const BASE_MS = 1000;
const CAP_MS = 30_000;

/**
 * Milliseconds, doubled with each attempt. Half is fixed, so that four retries outlast seven
 * seconds; half is random, so that requests that failed together do not return together.
 */
export function backoff(attempt: number, random: () => number, retryAfterMs = 0): number {
  const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
  return Math.round(Math.max(half, retryAfterMs) + random() * half);
}

export function sleep(ms: number, stop: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: stop }).catch(() => false);
}
