import type { AgentClient } from '../../src/agent/client.ts';
import { openLevel } from '../../src/upload/level.ts';
import type { PlannedFile } from '../../src/upload/plan.ts';
import type { FileResult, TransferEvent } from '../../src/upload/result.ts';
import { transfer } from '../../src/upload/transfer.ts';

export function file(name: string): PlannedFile {
  return { source: name, realPath: `/w/${name}`, target: name, size: 3 };
}

/** Planned files `f0`, `f1` and so on. */
export function files(count: number): PlannedFile[] {
  return Array.from({ length: count }, (_, index) => file(`f${index}`));
}

interface Options {
  readonly concurrency?: number;
  readonly retries?: number;
  /** How the upload of a file ends, at once; without it, `answer` says so. */
  readonly outcome?: (name: string) => Error | undefined;
  /** Waits end at once, or never but by the signal. */
  readonly sleep?: 'at once' | 'until stopped';
  /** What the clock says, one after the other. */
  readonly times?: number[];
  readonly cancelled?: boolean;
}

interface Running {
  readonly results: Promise<FileResult[]>;
  /** The names of the uploads begun, in their order. */
  readonly started: readonly string[];
  readonly inFlight: ReadonlyMap<string, unknown>;
  readonly events: readonly TransferEvent[];
  /** The most uploads that were in flight at once. */
  most(): number;
  /** Ends the upload of a file, at its start if that is still to come. */
  answer(name: string, error?: Error): void;
  cancel(): void;
  isSettled(): boolean;
  /** Resolves when nothing is left to do but to wait for answers. */
  idle(): Promise<void>;
}

type Deferred = PromiseWithResolvers<Error | undefined>;

/** Starts a transfer whose answers are given by the test. */
export function start(planned: readonly PlannedFile[], options: Options = {}): Running {
  const cancel = new AbortController();
  if (options.cancelled) cancel.abort();
  const started: string[] = [];
  const inFlight = new Map<string, Deferred>();
  const early = new Map<string, Error | undefined>();
  const events: TransferEvent[] = [];
  let most = 0;
  let settled = false;

  async function outcomeOf(name: string): Promise<Error | undefined> {
    if (options.outcome !== undefined) return options.outcome(name);
    if (early.has(name)) return early.get(name);
    const deferred: Deferred = Promise.withResolvers();
    inFlight.set(name, deferred);
    most = Math.max(most, inFlight.size);
    return deferred.promise.finally(() => inFlight.delete(name));
  }

  const client: AgentClient = {
    async upload({ target, size }, onSent) {
      started.push(target);
      const error = await outcomeOf(target);
      if (error !== undefined) throw error;
      onSent(size);
      return { path: `/home/${target}`, size };
    },
    uploadTogether: () => Promise.reject(new Error('not asked for')),
    stats: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  };
  const results = transfer(planned, {
    client,
    level: openLevel(options.concurrency ?? 1, () => 0),
    filesPerRequest: 1,
    retry: { retries: options.retries ?? 4, sleep: sleeper(options.sleep), random: () => 0.5 },
    cancel: cancel.signal,
    onEvent: event => events.push(event),
    clock: () => options.times?.shift() ?? 0,
  });
  const settle = () => {
    settled = true;
  };
  results.then(settle, settle);
  return {
    results,
    started,
    inFlight,
    events,
    most: () => most,
    answer(name, error) {
      const deferred = inFlight.get(name);
      if (deferred === undefined) early.set(name, error);
      else deferred.resolve(error);
    },
    cancel: () => cancel.abort(),
    isSettled: () => settled,
    idle: () => new Promise(resolve => setImmediate(resolve)),
  };
}

function sleeper(kind: Options['sleep']): (ms: number, stop: AbortSignal) => Promise<void> {
  if (kind !== 'until stopped') return () => Promise.resolve();
  return (_ms, stop) =>
    new Promise((_resolve, reject) => {
      stop.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    });
}
