import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentRequest, Client } from '../../src/agent/client.ts';
import type { PlannedFile } from '../../src/files/targets.ts';
import type { Context } from '../../src/inputs/context.ts';
import type { Inputs } from '../../src/inputs/inputs.ts';
import { type Changes, uploadFiles } from '../../src/upload/upload-files.ts';
import { fakeClock } from './clock.ts';
import { parseSyncInputs } from './parse-inputs.ts';
import { concatCopies } from './temp-folder.ts';

// Any file will do: requests read it, but nothing checks its content.
const REAL_PATH = import.meta.filename;

/** Plans a file. Only with the default size can it be sent. */
export function plannedFile(target: string, size = statSync(REAL_PATH).size): PlannedFile {
  return { source: target, realPath: REAL_PATH, relative: target, target, size };
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

export interface Settings
  extends Partial<
    Pick<Inputs<'upload'>, 'concurrency' | 'filesPerRequest' | 'retries' | 'stateFile'> &
      Pick<Context, 'cancel' | 'random'>
  > {
  /** Duration of each request. Default: 100 ms. */
  readonly takesMs?: number;
  /** Returns the path that the agent reports for a target. */
  readonly storedPath?: (target: string) => string;
}

/**
 * Uploads files in simulated time, by default with one request at a time and without retries.
 * `failureOf` returns the error with which a request fails.
 */
export async function simulate(
  toSend: readonly PlannedFile[],
  failureOf?: (request: Request) => Error | undefined,
  { unchanged = [], ...settings }: Settings & Partial<Pick<Changes, 'unchanged'>> = {},
) {
  const { inputs, client, context, ...seen } = simulateAgent(failureOf, settings);
  const progress = { onSent() {}, onStored() {} };
  const result = await uploadFiles({ toSend, unchanged }, inputs, client, context, progress);
  const { files: results, retries: repeated, durationMs: tookMs } = result;
  /** The first letter of each file's status. */
  const statuses = results.map(({ status }) => status[0]).join('');
  return { ...seen, results, statuses, repeated, tookMs };
}

/** Creates a client whose requests take simulated time, and what it takes to upload with it. */
export function simulateAgent(
  failureOf: (request: Request) => Error | undefined = () => undefined,
  {
    takesMs = 100,
    storedPath = target => `/home/${target}`,
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
  const client: Client = {
    async send(upload) {
      inFlight += 1;
      const targets = targetsOf(upload);
      const request = { name: targets.join(' '), at: clock.now(), inFlight };
      requests.push(request);
      const failure = failureOf(request);
      await clock.sleep(takesMs);
      inFlight -= 1;
      if (failure !== undefined) throw failure;
      const entries = targets.map(target => {
        return { path: storedPath(target), name: path.posix.basename(target), type: 'file' };
      });
      return { label: 'POST /files', status: 200, headers: {}, body: JSON.stringify(entries) };
    },
    receive: () => assert.fail('an upload only sends'),
    redact: String,
    async [Symbol.asyncDispose]() {},
  };
  const defaults = { concurrency: 1, filesPerRequest: 1, retries: 0 };
  const context: Context = {
    workspace: '/w',
    cancel,
    killImminent: cancel,
    now: clock.now,
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
  const inputs = { ...parseSyncInputs(), ...defaults, ...changes };
  return { inputs, client, context, requests, lines, debugLines };
}

/** Reads the whole body, and returns the targets of its files. */
function targetsOf({ path: url, body = [] }: AgentRequest): string[] {
  const text = concatCopies(body).toString();
  const target = new URL(url, 'http://agent').searchParams.get('path');
  const names = text.matchAll(/^Content-Disposition: .*; filename="(.*)"\r$/gm);
  return target === null ? Array.from(names, ([, name = '']) => name) : [target];
}
