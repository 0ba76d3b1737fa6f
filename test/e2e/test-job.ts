import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServiceOptions, startService } from '../../dev/agent/service.ts';
import { METRICS } from './agent-answers.ts';
import { createFaults, type Fault, type FaultAction } from './faults.ts';

export const TOKEN = 'the-access-token-42';
export const SANDBOX_ID = 'sandbox1';

export type Files = Readonly<Record<string, string | Buffer>>;

/** A request whose headers have reached the agent. */
export interface IncomingRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

/** A job whose steps run the action: its folders on the runner, and a sandbox with an agent. */
export type TestJob = Awaited<ReturnType<typeof openJob>>;

export interface TestJobOptions extends Partial<Omit<ServiceOptions, 'folder' | 'intercept'>> {
  /** Files of the checkout. Default: one small file. */
  readonly files?: Files;
  readonly faults?: readonly Fault[];
  /** The sandbox's. */
  readonly token?: string;
}

/** Opens a job. Disposing of it stops the agent and removes all folders. */
export async function openJob({
  files = { 'a.txt': 'text' },
  faults,
  token = TOKEN,
  ...options
}: TestJobOptions = {}) {
  const runner = openRunner();
  const { workspace, directory } = runner;
  const listener: { onRequest?: ((request: IncomingRequest) => void) | undefined } = {};
  const { add, intercept } = createFaults(faults);
  const service = await startService({
    folder: directory,
    headerPrefix: 'Svc',
    metrics: () => METRICS,
    intercept(exchange) {
      listener.onRequest?.(exchange.request);
      return intercept(exchange);
    },
    ...options,
  });
  const { root, requests } = service.create(SANDBOX_ID, token);
  writeFiles(workspace, files);
  return {
    ...runner,
    /** The directory on disk that is the sandbox's `/`. */
    root,
    agent: { url: service.url, requests, connections: service.connections },
    /** Adds rules after those in force. */
    addFaults: add,
    /** Called with each valid upload and request for stats before the agent handles it. */
    listener,
    /** Writes files of the checkout, by relative path. */
    write: (more: Files) => writeFiles(workspace, more),
    /** Reads a file in the sandbox; relative paths start at the user's home. */
    readStored: (file: string) =>
      readFileSync(path.resolve(root, 'home/user', file.replace(/^\//, '../../'))),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await runner[Symbol.asyncDispose]();
    },
  };
}

export type Runner = ReturnType<typeof openRunner>;

/** Makes the folders of a job. Disposing of it removes them. */
export function openRunner() {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sandbox-sync-test-')));
  const makeFolder = (name: string) => {
    const folder = path.join(directory, name);
    mkdirSync(folder);
    return folder;
  };
  return {
    directory,
    /** The checkout, an absolute path. */
    workspace: makeFolder('work'),
    /** A directory outside the checkout. */
    outside: makeFolder('outside'),
    /** RUNNER_TEMP. */
    temp: makeFolder('temp'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Opens a job whose agent misbehaves at every upload that `rule` covers. */
export function openJobWithFault(
  action: FaultAction,
  rule: Partial<Fault> = {},
  options: TestJobOptions = {},
): Promise<TestJob> {
  return openJob({ ...options, faults: [{ on: 'upload', ...rule, do: action }] });
}

/** Makes small files `f0.txt`, `f1.txt` and so on. */
export function manyFiles(count: number): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${index}.txt`, `content ${index}`]),
  );
}

/** Writes files by relative path. */
export function writeFiles(directory: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
