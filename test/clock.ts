import { setImmediate } from 'node:timers/promises';

/** Time that stands still until everybody waits, and then jumps to the next alarm. */
export interface FakeClock {
  /** Milliseconds since the start. */
  readonly now: () => number;
  /** Waits so many milliseconds, or until the signal aborts; true if it waited to the end. */
  readonly sleep: (ms: number, stop?: AbortSignal) => Promise<boolean>;
}

export function fakeClock(): FakeClock {
  let now = 0;
  const alarms = new Map<(inTime: boolean) => void, number>();

  /** Called once for each sleeper, so that each is woken. */
  async function jump(): Promise<void> {
    // Whoever can go on does so before time passes.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    if (alarms.size > 0) now = Math.max(now, Math.min(...alarms.values()));
    for (const [ring, at] of alarms) if (at <= now) ring(true);
  }

  return {
    now: () => now,
    sleep(ms, stop) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = () => resolve(false);
      alarms.set(resolve, now + ms);
      stop?.addEventListener('abort', end);
      if (stop?.aborted) end();
      void jump();
      return promise.finally(() => {
        alarms.delete(resolve);
        stop?.removeEventListener('abort', end);
      });
    },
  };
}
