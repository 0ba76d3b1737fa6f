import { setImmediate } from 'node:timers/promises';

/** A clock that stands still while code runs, and jumps to the next alarm when all code sleeps. */
export function fakeClock() {
  let now = 0;
  const alarms = new Map<(inTime: boolean) => void, number>();

  /** Moves the clock to the next alarm. Every sleep calls this once, so every sleep ends. */
  async function jump(): Promise<void> {
    // Let all runnable code run before time passes.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    if (alarms.size > 0) now = Math.max(now, Math.min(...alarms.values()));
    for (const [ring, at] of alarms) if (at <= now) ring(true);
  }

  return {
    /** Milliseconds since the clock was created. */
    now: () => now,
    /** Resolves to true after `ms`, or to false once `stop` aborts. */
    sleep: (ms: number, stop?: AbortSignal): Promise<boolean> => {
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
