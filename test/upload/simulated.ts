import type { AgentError } from '../../src/agent/failure.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import { type Transfer, transfer } from '../../src/upload/transfer.ts';

/** A sandbox in simulated time: how long requests take and which fail. */
export interface Sandbox {
  readonly takesMs: number;
  /** Undefined if the files arrive. `inFlight` counts the request itself. */
  readonly failure: (request: Request) => AgentError | undefined;
}

export interface Request {
  readonly files: readonly PlannedFile[];
  /** Milliseconds since the start of the transfer. */
  readonly at: number;
  readonly inFlight: number;
}

/** The end of a simulated transfer. */
export interface Simulation extends Transfer {
  readonly requests: number;
  /** Milliseconds of simulated time. */
  readonly tookMs: number;
}

/** Runs a transfer with defaults in simulated time, which only passes while everything waits. */
export async function simulate(
  planned: readonly PlannedFile[],
  sandbox: Sandbox,
  options: { readonly retries?: number; readonly filesPerRequest?: number } = {},
): Promise<Simulation> {
  const time = simulatedTime();
  const counts = { requests: 0, inFlight: 0 };
  const running = transfer(planned, {
    unchanged: new Map(),
    concurrency: 'auto',
    filesPerRequest: 1,
    retries: 4,
    random: () => 0.5,
    cancel: new AbortController().signal,
    onEvent: () => {},
    clock: time.now,
    sleep: (ms, stop) => time.sleep(ms, stop),
    ...options,
    async upload(files) {
      counts.requests += 1;
      counts.inFlight += 1;
      const failure = sandbox.failure({
        files: planned.filter(file => files.includes(file)),
        at: time.now(),
        inFlight: counts.inFlight,
      });
      await time.sleep(sandbox.takesMs);
      counts.inFlight -= 1;
      if (failure !== undefined) throw failure;
      return new Map(files.map(file => [file, { path: `/home/${file.target}`, size: file.size }]));
    },
  });
  const ended = await time.passUntil(running);
  return { ...ended, requests: counts.requests, tookMs: time.now() };
}

/** A clock that stands still until everybody waits, then jumps to the next alarm. */
function simulatedTime() {
  let now = 0;
  const alarms: { readonly at: number; readonly ring: () => void }[] = [];
  return {
    now: () => now,
    sleep(ms: number, stop?: AbortSignal): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      alarms.push({ at: now + ms, ring: () => resolve(true) });
      stop?.addEventListener('abort', () => resolve(false), { once: true });
      if (stop?.aborted) resolve(false);
      return promise;
    },
    async passUntil<T>(over: Promise<T>): Promise<T> {
      let isOver = false;
      const end = over.finally(() => {
        isOver = true;
      });
      end.catch(() => {});
      while (!isOver) {
        await new Promise(resolve => setImmediate(resolve));
        alarms.sort((one, other) => one.at - other.at);
        const next = alarms[0]?.at ?? now;
        now = Math.max(now, next);
        while (alarms[0] !== undefined && alarms[0].at <= now) alarms.shift()?.ring();
      }
      return end;
    },
  };
}
