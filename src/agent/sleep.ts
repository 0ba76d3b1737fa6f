import { setTimeout as delay } from 'node:timers/promises';

/** Waits so many milliseconds, unless `stop` aborts first: then it rejects. */
export async function sleep(ms: number, stop: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stop });
}
