import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from './failure.ts';

/** What retrying depends on beside the request itself. */
export interface RetryPolicy {
  readonly retries: number;
  /** Waits so many milliseconds, or until the signal aborts; says whether it came to its end. */
  readonly sleep: (ms: number, stop: AbortSignal) => Promise<boolean>;
  /** A number from 0 up to but not including 1. */
  readonly random: () => number;
}

/** An attempt that failed and will be made again. */
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

const BASE_MS = 500;
const CAP_MS = 30_000;

/** Makes a request until it succeeds, fails for good, has had its attempts, or `stop` aborts. Bugs pass through. */
export async function withRetries<T>(
  request: () => Promise<T>,
  policy: RetryPolicy & { readonly stop: AbortSignal; readonly onRetry: (retry: Retry) => void },
): Promise<Outcome<T>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { attempts: attempt, value: await request() };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      if (!error.retryable || attempt > policy.retries || policy.stop.aborted) return { attempts: attempt, error };
      const delayMs = backoff(attempt, policy.random, error.retryAfterMs);
      policy.onRetry({ attempt, error, delayMs });
      if (!(await policy.sleep(delayMs, policy.stop))) return { attempts: attempt, error };
    }
  }
}

/** Milliseconds before the next attempt: exponential with full jitter, never sooner than the agent asked for. */
export function backoff(attempt: number, random: () => number, retryAfterMs = 0): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
  return Math.max(Math.round(random() * ceiling), retryAfterMs);
}

/** The sleep of real time. */
export function sleep(ms: number, stop: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: stop }).catch(() => false);
}
