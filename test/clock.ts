import { setImmediate } from 'node:timers/promises';

/** Time that stands still until everybody waits, and then jumps to the next alarm. */
export interface FakeClock {
  /** Milliseconds since the start. */
  readonly now: () => number;
  /** Waits so many milliseconds, or until the signal aborts; true if it waited to the end. */
  readonly sleep: (ms: number, stop?: AbortSignal) => Promise<boolean>;
  /** Lets time pass until a promise has settled. */
  readonly passUntil: <T>(over: Promise<T>) => Promise<T>;
}

export function fakeClock(): FakeClock {
  let now = 0;
  const alarms = new Set<{ readonly at: number; readonly ring: (inTime: boolean) => void }>();
  return {
    now: () => now,
    sleep(ms, stop) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const alarm = { at: now + ms, ring: resolve };
      const end = () => resolve(false);
      alarms.add(alarm);
      stop?.addEventListener('abort', end);
      if (stop?.aborted) end();
      return promise.finally(() => {
        alarms.delete(alarm);
        stop?.removeEventListener('abort', end);
      });
    },
    async passUntil(over) {
      let isOver = false;
      const end = over.finally(() => {
        isOver = true;
      });
      end.catch(() => {});
      for (;;) {
        // Whoever can go on does so before time passes.
        for (let turn = 0; turn < 3; turn += 1) await setImmediate();
        if (isOver) return end;
        const next = Math.min(...Array.from(alarms, ({ at }) => at));
        if (Number.isFinite(next)) now = next;
        for (const { at, ring } of alarms) if (at <= now) ring(true);
      }
    },
  };
}
/** Time for a single sleeper: it passes only while that one sleeps. */
export function simulatedClock() {
  let elapsed = 0;
  return {
    clock: () => elapsed,
    now: () => 1_000_000 + elapsed,
    sleep: async (ms: number, signal: AbortSignal): Promise<boolean> => {
      if (signal.aborted) return false;
      elapsed += ms;
      return true;
    },
  };
}
