import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServiceOptions, startService } from '../../dev/agent/service.ts';
import { createFaults, type Fault } from './faults.ts';

export const TOKEN = 'the-access-token-42';
export const SANDBOX_ID = 'sandbox1';

/** Default metrics of the agent. */
export const METRICS = {
  ts: 1_767_225_600,
  cpu_count: 4,
  cpu_used_pct: 12.5,
  mem_total: 8_589_934_592,
  mem_used: 2_147_483_648,
  mem_total_mib: 8192,
  mem_used_mib: 2048,
  disk_total: 10_737_418_240,
  disk_used: 1_234_567_890,
};

/** Returns `metrics` with these values of one metric in turn. The last value repeats. */
export function metricsInTurn(name: keyof typeof METRICS, ...values: readonly number[]) {
  let count = 0;
  return () => ({ ...METRICS, [name]: values[Math.min(count++, values.length - 1)] });
}

export type Files = Readonly<Record<string, string | Buffer>>;

/** A request whose headers have reached the service. */
export type IncomingRequest = Pick<IncomingMessage, 'method' | 'url'>;

interface EmptyJobOptions extends Partial<Omit<ServiceOptions, 'folder' | 'intercept'>> {
  readonly faults?: readonly Fault[];
}

export type EmptyJob = Awaited<ReturnType<typeof openEmptyJob>>;

/**
 * Opens a job without a sandbox: its folders on the runner, and a service. Disposing of it stops
 * the service and removes all folders.
 */
export async function openEmptyJob({ faults, ...options }: EmptyJobOptions) {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sandbox-sync-test-')));
  const makeFolder = (name: string) => {
    const folder = path.join(directory, name);
    mkdirSync(folder);
    return folder;
  };
  const listener: { onRequest?: ((request: IncomingRequest) => void) | undefined } = {};
  const { add, intercept } = createFaults(faults);
  const service = await startService({
    folder: directory,
    metrics: () => METRICS,
    intercept(exchange) {
      listener.onRequest?.(exchange.request);
      return intercept(exchange);
    },
    ...options,
  });
  return {
    service,
    /** Absolute path of the checkout. */
    workspace: makeFolder('work'),
    /** A directory outside the checkout. */
    outside: makeFolder('outside'),
    /** The value of RUNNER_TEMP. */
    temp: makeFolder('temp'),
    /** Adds fault rules after the existing ones. */
    addFaults: add,
    /** Set `onRequest` to see each valid upload, stats or API request before it is performed. */
    listener,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type TestJob = Awaited<ReturnType<typeof openJob>>;

export interface TestJobOptions extends EmptyJobOptions {
  /** Files in the checkout. Default: one small file. */
  readonly files?: Files;
}

export async function openJob({ files = { 'a.txt': 'text' }, ...options }: TestJobOptions = {}) {
  const job = await openEmptyJob({ headerPrefixes: ['Svc'], ...options });
  const { url, connections } = job.service;
  const { root, requests } = job.service.create(SANDBOX_ID, TOKEN);
  const write = (more: Files) => {
    for (const [name, content] of Object.entries(more)) {
      const file = path.join(job.workspace, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  write(files);
  return {
    ...job,
    /** The sandbox's `/`, as a path on this machine. */
    root,
    agent: { url, requests, connections },
    write,
    /** Reads a file of the sandbox. Relative paths start in the user's home. */
    readStored: (file: string) =>
      readFileSync(path.resolve(root, 'home/user', file.replace(/^\//, '../../'))),
  };
}

export function manyFiles(count: number): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${index}.txt`, `content ${index}`]),
  );
}
