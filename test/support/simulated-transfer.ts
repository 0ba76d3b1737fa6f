import type { Context } from '../../src/agent/context.ts';
import type { PlannedFile } from '../../src/files/targets.ts';
import type { Inputs } from '../../src/inputs/inputs.ts';
import { type FileResult, transfer } from '../../src/upload/upload-files.ts';
import { fakeClock } from './clock.ts';
import { parseSyncInputs } from './parse-inputs.ts';

export function plannedFile(target: string, size = 3): PlannedFile {
  const realPath = `/w/${target}`;
  return { source: target, realPath, relative: target, target, size, isExecutable: false };
}

export function notAttempted(file: PlannedFile): FileResult {
  return { status: 'not-attempted', file, reason: 'the job was cancelled' };
}

/** Creates planned files named `f0`, `f1` and so on. */
export function plannedFiles(count: number): PlannedFile[] {
  return Array.from({ length: count }, (_, index) => plannedFile(`f${index}`));
}

export interface Request {
  /** Targets of the request's files, such as `f0 f1`. */
  readonly name: string;
  /** Milliseconds since the start of the transfer. */
  readonly at: number;
  /** Number of requests in flight, including this one. */
  readonly inFlight: number;
}

type Transfer = typeof transfer;

interface Settings
  extends Partial<
    Pick<Inputs<'upload'>, 'concurrency' | 'filesPerRequest' | 'retries'> &
      Pick<Context, 'cancel' | 'random'>
  > {
  readonly unchanged?: readonly FileResult[];
  /** Duration of each request. Default: 100 ms. */
  readonly takesMs?: number;
  /** Returns the path that the agent reports for a target. */
  readonly storedPath?: (target: string) => string;
  readonly storeFiles?: Parameters<Transfer>[1];
}

/**
 * Runs a transfer in simulated time, by default with one request at a time and without retries.
 * `failureOf` returns the error with which a request fails.
 */
export async function simulate(
  planned: readonly PlannedFile[],
  failureOf: (request: Request) => Error | undefined = () => undefined,
  {
    takesMs = 100,
    storedPath = target => `/home/${target}`,
    unchanged = [],
    storeFiles,
    random = () => 0.5,
    cancel = new AbortController().signal,
    ...changes
  }: Settings = {},
) {
  const clock = fakeClock();
  const requests: Request[] = [];
  const lines: string[] = [];
  const debugLines: string[] = [];
  let inFlight = 0;
  const store: Parameters<Transfer>[1] = async files => {
    inFlight += 1;
    const name = files.map(({ target }) => target).join(' ');
    const request = { name, at: clock.now(), inFlight };
    requests.push(request);
    const failure = failureOf(request);
    await clock.sleep(takesMs);
    inFlight -= 1;
    if (failure !== undefined) throw failure;
    return files.map(file => ({ file, path: storedPath(file.target) }));
  };
  const known = new Map(unchanged.map(result => [result.file, result]));
  const before = planned.map(file => known.get(file) ?? notAttempted(file));
  const inputs = {
    ...parseSyncInputs(),
    concurrency: 1,
    filesPerRequest: 1,
    retries: 0,
    ...changes,
  };
  const context: Context = {
    workspace: '/w',
    cancel,
    killImminent: cancel,
    now: clock.now,
    clock: clock.now,
    sleep: clock.sleep,
    random,
    redact: String,
    sandboxes: [],
    log: {
      line: text => lines.push(text),
      debug: text => debugLines.push(text),
      output() {},
      warning() {},
    },
  };
  const result = await transfer(before, storeFiles ?? store, inputs, context);
  const { files: results, retries: repeated, durationMs: tookMs } = result;
  /** The first letter of each file's status. */
  const statuses = results.map(({ status }) => status[0]).join('');
  return { results, statuses, requests, repeated, lines, debugLines, tookMs };
}
