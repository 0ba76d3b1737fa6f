import { setTimeout as delay } from 'node:timers/promises';
import { formatDuration } from '../text/format.ts';
import { AgentError } from './failure.ts';

export interface Retry {
  readonly attempt: number;
  readonly error: AgentError;
  readonly delayMs: number;
}

export type Outcome<T> = { readonly attempts: number } & (
  | { readonly status: 'done'; readonly value: T }
  | { readonly status: 'failed'; readonly error: AgentError }
);

export interface RetryOptions {
  readonly sleep: typeof sleep;
  readonly random: () => number;
  readonly retries: number;
  /** Prevents further attempts, but does not abort a request in flight. */
  readonly stop: AbortSignal;
  readonly onRetry: (retry: Retry) => void;
  readonly isRepeatable?: (error: AgentError) => boolean;
}

export async function withRetries<T>(
  request: () => Promise<T>,
  options: RetryOptions,
): Promise<Outcome<T>> {
  const { retries, random, sleep, stop, onRetry, isRepeatable } = options;
  let failure: Outcome<T> | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { status: 'done', attempts: attempt, value: await request() };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      // Report the failure before a retry that was cancelled before it was sent. A retry in flight
      // may have had an effect, so report that it was cancelled.
      if (error.kind === 'cancelled' && error.hadNoEffect && failure !== undefined) return failure;
      failure = { status: 'failed', attempts: attempt, error };
      const isLast = attempt > retries || !error.isRetryable || isRepeatable?.(error) === false;
      if (isLast || stop.aborted) return failure;
      const delayMs = backoff(attempt, random, error.retryAfterMs);
      onRetry({ attempt, error, delayMs });
      if (!(await sleep(delayMs, stop))) return failure;
    }
  }
}

export function describeRetry(name: string, { attempt, error, delayMs }: Retry): string {
  return `Attempt ${attempt} for ${name} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}

const BASE_MS = 1000;
const CAP_MS = 30_000;

/**
 * Returns a delay in milliseconds: half of an exponential backoff (or `retryAfterMs` if longer),
 * plus random jitter of up to the other half. Four retries wait at least 7.5 s in total.
 */
export function backoff(attempt: number, random: () => number, retryAfterMs = 0): number {
  const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
  return Math.round(Math.max(half, retryAfterMs) + random() * half);
}

/** Returns Unix time in ms that ignores later changes of the runner's clock. */
export function now(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

export function sleep(ms: number, stop: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: stop }).catch(() => false);
}
