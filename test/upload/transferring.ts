import { setImmediate } from 'node:timers/promises';
import type { Upload } from '../../src/agent/upload.ts';
import type { PlannedFile } from '../../src/files/plan.ts';
import type { TransferEvent } from '../../src/upload/result.ts';
import { type Transfer, type TransferOptions, transfer } from '../../src/upload/transfer.ts';

export function file(name: string, size = 3): PlannedFile {
  const realPath = `/w/${name}`;
  return { source: name, realPath, identity: name, target: name, size, isExecutable: false };
}

/** Planned files `f0`, `f1` and so on. */
export function files(count: number): PlannedFile[] {
  return Array.from({ length: count }, (_, index) => file(`f${index}`));
}

/** A transfer whose requests end when the test says so. */
export interface Running {
  readonly transfer: Promise<Transfer>;
  /** The files of each request in order, such as `f0 f1`. */
  readonly started: readonly string[];
  /** The requests that have not ended. */
  readonly inFlight: ReadonlySet<string>;
  readonly events: readonly TransferEvent[];
  /** Ends a request. */
  answer(request: string, error?: Error): void;
  cancel(): void;
  /** Resolves when the transfer only waits for answers. */
  idle(): Promise<void>;
}

/** Starts a transfer, by default one request at a time and without retries. */
export function start(
  planned: readonly PlannedFile[],
  options: Partial<TransferOptions> = {},
): Running {
  const cancel = new AbortController();
  const started: string[] = [];
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const inFlight = new Set<string>();
  const events: TransferEvent[] = [];
  const upload: Upload = async (sent, onSent) => {
    const request = sent.map(({ target }) => target).join(' ');
    const answer = Promise.withResolvers<void>();
    started.push(request);
    inFlight.add(request);
    waiting.set(request, answer);
    await answer.promise.finally(() => inFlight.delete(request));
    for (const { size } of sent) onSent(size);
    return new Map(sent.map(each => [each, { path: `/home/${each.target}`, size: each.size }]));
  };
  const running = transfer(planned, {
    upload,
    unchanged: new Map(),
    concurrency: 1,
    filesPerRequest: 1,
    retries: 0,
    sleep: async () => true,
    random: () => 0.5,
    cancel: cancel.signal,
    onEvent: event => void events.push(event),
    clock: () => 0,
    ...options,
  });
  return {
    transfer: running,
    started,
    inFlight,
    events,
    answer(request, error) {
      const { resolve, reject } = waiting.get(request) ?? Promise.withResolvers<void>();
      if (error === undefined) resolve();
      else reject(error);
    },
    cancel: () => cancel.abort(),
    async idle() {
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    },
  };
}

/** Ends every request when it starts, until the transfer is over. */
export async function answerAll(
  run: Running,
  outcome: (request: string) => Error | undefined,
): Promise<Transfer> {
  let isOver = false;
  const over = run.transfer.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    for (const request of run.inFlight) run.answer(request, outcome(request));
    await run.idle();
  }
  return over;
}

/** The first letter of each file's status. */
export function statuses(transfer: Pick<Transfer, 'files'>): string {
  return transfer.files.map(({ status }) => status[0]).join('');
}
