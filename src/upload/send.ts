import type { UploadFile } from '../agent/body.ts';
import { AgentError, type FailureKind, failureOf, isFatal } from '../agent/failure.ts';
import { type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { StoredFile, Upload } from '../agent/upload.ts';
import type { PlannedFile } from '../files/plan.ts';
import { formatDuration } from '../text/format.ts';
import { adaptConcurrency, type Concurrency } from './concurrency.ts';
import { GIVE_UP_MS, type GivingUp, watchForGivingUp } from './give-up.ts';
import type { FileResult, TransferEvent } from './result.ts';

export interface SendOptions extends RetryPolicy {
  readonly upload: Upload;
  readonly concurrency: number | 'auto';
  /** Ends the transfer: nothing new is started. The client ends what is in flight. */
  readonly cancel: AbortSignal;
  readonly onEvent: (event: TransferEvent) => void;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
}

/** A transfer under way. */
export interface Sending extends SendOptions {
  /** How files ended so far; a file that failed in a batch may still be sent alone. */
  readonly results: Map<PlannedFile, FileResult>;
  readonly requests: Concurrency;
  readonly givingUp: GivingUp;
  /** Nothing new is started once it aborts. */
  readonly stop: AbortSignal;
  readonly end: (reason: unknown) => void;
  readonly state: {
    isBatching: boolean;
    /** A batch may be stored anywhere: nothing more is sent until all requests have ended. */
    isMisplaced: boolean;
    /** On `clock`: the agent asked for a pause until then. */
    pausedUntil: number;
  };
}

export function startSending(options: SendOptions): Sending {
  const { cancel, clock, concurrency, onEvent } = options;
  const ending = new AbortController();
  return {
    ...options,
    results: new Map(),
    requests: adaptConcurrency(concurrency, change => onEvent({ kind: 'concurrency', ...change })),
    givingUp: watchForGivingUp(clock),
    stop: AbortSignal.any([cancel, ending.signal]),
    end: reason => ending.abort(reason),
    state: { isBatching: true, isMisplaced: false, pausedUntil: 0 },
  };
}

/** Sends all batches. Throws the first bug, once every request has ended. */
export async function sendAll(
  sending: Sending,
  batches: readonly (readonly PlannedFile[])[],
): Promise<void> {
  const ends = await Promise.allSettled(batches.map(batch => sendBatch(sending, batch)));
  const bug = ends.find(end => end.status === 'rejected');
  if (bug !== undefined) throw bug.reason;
}

/** Sends a batch; its files go alone if the agent does not take them together. */
async function sendBatch(sending: Sending, batch: readonly PlannedFile[]): Promise<void> {
  const { state, requests } = sending;
  const isSplit = () => batch.length > 1 && !state.isBatching;
  const alone = await requests.limit(() => (isSplit() ? batch : send(sending, batch)));
  // Outside of the limiter, which must not wait for itself.
  await sendAll(
    sending,
    alone.map(file => [file]),
  );
}

/** Sends files with one request, and its retries. Returns the files that are to go alone. */
async function send(
  sending: Sending,
  files: readonly PlannedFile[],
): Promise<readonly PlannedFile[]> {
  const { results, state, clock, sleep, onEvent } = sending;
  if (!(await waitOutPause(sending))) {
    settleUnsent(sending, files);
    return [];
  }
  if (state.isMisplaced) return [];
  const begunAt = clock();
  const spent = Math.max(...files.map(file => attemptsOf(results.get(file))));
  const left = Math.max(0, sending.retries - spent);
  const outcome = await withRetries(() => sendOnce(sending, files), {
    ...sending,
    // The attempts of a batch count for each of its files, so leave some for the files alone.
    retries: files.length > 1 ? Math.floor(left / 2) : left,
    sleep: async (ms, stop) => (await sleep(ms, stop)) && waitOutPause(sending),
    onRetry: retry => {
      const delayMs = Math.max(retry.delayMs, pauseLeft(sending));
      onEvent({ kind: 'retry', files, retry: { ...retry, delayMs } });
    },
  });
  const attempts = spent + outcome.attempts;
  const sent = { attempts, durationMs: Math.round(clock() - begunAt) };
  if ('value' in outcome) return settleStored(sending, files, { ...sent, stored: outcome.value });
  return settleFailed(sending, files, { ...sent, error: outcome.error, begunAt });
}

/** Waits out the pause that the agent asked for. False if the transfer ended meanwhile. */
async function waitOutPause(sending: Sending): Promise<boolean> {
  const { sleep, stop } = sending;
  // The pause may be prolonged meanwhile.
  for (let ms = pauseLeft(sending); ms > 0 && !stop.aborted; ms = pauseLeft(sending))
    await sleep(ms, stop);
  return !stop.aborted;
}

/** In milliseconds; 0 or less if there is no pause. */
function pauseLeft({ state, clock }: Sending): number {
  return state.pausedUntil - clock();
}

async function sendOnce(sending: Sending, files: readonly PlannedFile[]) {
  const { requests, upload, onEvent, end, state, clock } = sending;
  const [file] = files;
  const ended = requests.begin();
  try {
    const stored = await upload(files, bytes => {
      if (file !== undefined) onEvent({ kind: 'sent', file, bytes });
    });
    ended();
    return stored;
  } catch (error) {
    if (!(error instanceof AgentError)) {
      // A bug ends the transfer, and reaches sendAll.
      end(error);
      throw error;
    }
    ended(error);
    // A pause that the agent asks for holds for all requests.
    const pauseMs = error.isRetryable ? (error.retryAfterMs ?? 0) : 0;
    state.pausedUntil = Math.max(state.pausedUntil, clock() + pauseMs);
    if (files.length === 1 || !MAY_MISPLACE.has(error.kind)) throw error;
    throw new AgentError('misplaced', error.message, { status: error.status, cause: error });
  }
}

// An agent that drops folders may store a part of a batch in other places before it refuses it.
const MAY_MISPLACE: ReadonlySet<FailureKind> = new Set([
  'bad-answer',
  'rejected',
  'not-a-directory',
]);

interface Attempted {
  readonly attempts: number;
  readonly durationMs: number;
}

function settleStored(
  sending: Sending,
  files: readonly PlannedFile[],
  { stored, ...sent }: Attempted & { readonly stored: ReadonlyMap<UploadFile, StoredFile> },
): PlannedFile[] {
  sending.givingUp.arrived();
  return files.filter(file => {
    const own = stored.get(file);
    if (own !== undefined) settle(sending, { status: 'uploaded', file, ...sent, ...own });
    // It can no longer be read, or no longer fits into the batch.
    return own === undefined;
  });
}

function settleFailed(
  sending: Sending,
  files: readonly PlannedFile[],
  { error, begunAt, ...sent }: Attempted & { readonly error: AgentError; readonly begunAt: number },
): readonly PlannedFile[] {
  const { state, results, onEvent, end } = sending;
  onEvent({ kind: 'failed', files, error });
  const failures = files.map(
    file => ({ status: 'failed', file, ...sent, error: failureOf(error) }) as const,
  );
  if (files.length > 1 && !isFatal(error)) {
    if (isRefusal(error)) {
      state.isBatching = false;
      onEvent({ kind: 'batch-refused', files });
    }
    state.isMisplaced ||= error.kind === 'misplaced';
    // Not settled yet: each file still goes alone, with the attempts that it has left.
    for (const failure of failures) results.set(failure.file, failure);
    if (state.isMisplaced) return [];
    // With no attempts left, a retryable failure is final for the files too.
    if (!error.isRetryable || sent.attempts <= sending.retries) {
      // Its files wait behind all other batches, so an overload that never ends shows here first.
      if (!isRefusal(error)) giveUpIfLost(sending, error, begunAt);
      return files;
    }
  }
  for (const failure of failures) settle(sending, failure);
  if (isFatal(error)) end(error);
  giveUpIfLost(sending, error, begunAt);
  return [];
}

/** Whether a failure may be about the batch. An overload is not. */
function isRefusal({ status }: AgentError): boolean {
  return status !== 429 && status !== 503;
}

function giveUpIfLost({ givingUp, end }: Sending, error: AgentError, begunAt: number): void {
  if (!givingUp.lost(error, begunAt)) return;
  const minute = formatDuration(GIVE_UP_MS);
  end(`nothing has arrived for ${minute}; the last failure: ${error.message}`);
}

/** Files that have failed in a batch stay failed if the transfer ends before they went alone. */
function settleUnsent(sending: Sending, files: readonly PlannedFile[]): void {
  for (const file of files) {
    const result = sending.results.get(file);
    if (result !== undefined) settle(sending, result);
  }
}

function settle({ results, onEvent }: Sending, result: FileResult): void {
  results.set(result.file, result);
  onEvent({ kind: 'settled', result });
}

function attemptsOf(result: FileResult | undefined): number {
  return result?.status === 'failed' ? result.attempts : 0;
}

/** Why the transfer was given up; undefined if it was not. */
export function whyGivenUp({ stop }: Sending): string | undefined {
  return typeof stop.reason === 'string' ? stop.reason : undefined;
}

/** Why nothing more was sent, for the files that were not attempted. */
export function reasonToStop({ cancel, stop }: Sending): string {
  if (cancel.aborted) return 'the job was cancelled';
  const reason: unknown = stop.reason;
  return reason instanceof AgentError
    ? `the transfer had ended: ${reason.message}`
    : 'the transfer was given up';
}
