import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import path from 'node:path';
import { type ActionFile, readActionFile } from '../../dev/runner/action-file.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';
import { type Result, resultOf } from './results.ts';
import { SANDBOX_ID, TOKEN, type World } from './world.ts';

export type { Report, ReportedFile, Result } from './results.ts';
export * from './world.ts';

/** The action must end by itself long before. */
const KILL_AFTER_MS = 60_000;

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** The actions and the folders of their action.yml files. */
const FOLDERS = {
  sync: '',
  upload: 'upload',
  stats: 'stats',
  monitor: 'monitor',
  'monitor-stop': 'monitor/stop',
} as const;

export type Task = keyof typeof FOLDERS;

export type Inputs = Step['inputs'];

/** Sends the action a signal. */
export type Signal = (name: NodeJS.Signals) => void;

export interface RunOptions extends Pick<Step, 'env' | 'onLine' | 'onStart'> {
  /** Which action to run. Default: the root action. */
  readonly task?: Task;
  /** Runs the action's post step, given the end of its main step. */
  readonly post?: Pick<StepEnd, 'state'>;
  /** Called with each request when its headers reach the agent, before the agent acts. */
  readonly onRequest?: (request: IncomingMessage, signal: Signal) => void;
  /** When to kill a run that hangs. Default: a minute. */
  readonly killAfterMs?: number;
}

/** Runs the built action as the runner does, with valid inputs for the world's agent. */
export async function runAction(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const { task = 'sync', env = {}, post, onRequest, killAfterMs = KILL_AFTER_MS } = options;
  let signal: Signal = () => assert.fail('the action does not run yet');
  let killed = false;
  using timer = clearing();
  using _ = watchRequests(world.agent.url, request => onRequest?.(request, signal));
  const end = await runStep({
    action: folderOf(task),
    inputs: allInputs(await actionOf(task), world.agent.url, inputs),
    workspace: world.workspace,
    temp: world.temp,
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    post,
    onLine: line => options.onLine?.(line),
    onStart(send) {
      signal = send;
      options.onStart?.(send);
      timer.start(killAfterMs, () => {
        killed = true;
        send('SIGKILL');
      });
    },
  });
  assert.ok(
    !killed,
    `the action did not end by itself within ${killAfterMs} ms:\n${end.stdout}${end.stderr}`,
  );
  return resultOf(end);
}

/** Runs the action and asserts that the step succeeded. */
export async function runWell(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.exitCode, 0, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  return result;
}

/** Runs the action, asserts success, and measures its peak memory in bytes. */
export async function runMeasured(
  world: World,
  inputs: Inputs = {},
  options: Omit<RunOptions, 'env'> = {},
): Promise<Result & { readonly peak: number }> {
  const file = path.join(world.outside, 'peak');
  const env = {
    NODE_OPTIONS: `--import=${import.meta.resolve('./peak-memory.js')}`,
    PEAK_MEMORY_FILE: file,
  };
  const result = await runWell(world, inputs, { ...options, env });
  return Object.assign(result, { peak: Number(readFileSync(file, 'utf8')) });
}

/** Runs the action and asserts an orderly failure. */
export async function runBadly(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.exitCode, 1, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  assert.ok(result.annotations('error').length > 0);
  assert.doesNotMatch(result.stdout, /is a bug; please report/);
  return result;
}

/** What the action.yml of a task declares. */
export function actionOf(task: Task): Promise<ActionFile> {
  return readActionFile(folderOf(task));
}

/** The folder of a task's action.yml. */
export function folderOf(task: Task): string {
  return path.join(PROJECT, FOLDERS[task]);
}

/** The uploads that reached the agent. */
export function uploads(world: World) {
  return world.agent.requests.filter(({ method }) => method === 'POST');
}

/** The decoded `path` of an upload's query. */
export function pathOf({ url = '' }: { readonly url?: string | undefined }): string {
  return (
    new URLSearchParams(url.replace(/^[^?]*/, '')).get('path') ?? assert.fail(`no path in ${url}`)
  );
}

/** Acts once, when the first upload to a path reaches the agent. */
export function when(target: string, act: (signal: Signal) => void): Pick<RunOptions, 'onRequest'> {
  let due = true;
  return {
    onRequest(request, signal) {
      if (!due || request.method !== 'POST' || pathOf(request) !== target) return;
      due = false;
      act(signal);
    },
  };
}

function allInputs({ inputs: declared }: ActionFile, url: string, given: Inputs): Inputs {
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(given))
    assert.ok(names.has(name), `action.yml has no input ${name}`);
  const files = names.has('files') ? { files: '**' } : {};
  if (!names.has('token')) return given;
  return { 'sandbox-id': SANDBOX_ID, token: TOKEN, 'base-url': url, ...files, ...given };
}

function clearing(): Disposable & { start(ms: number, act: () => void): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    start(ms, act) {
      timer = setTimeout(act, ms);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/**
 * Calls `onRequest` for each request to the server at `url`, which runs in this process, until
 * disposed of.
 */
function watchRequests(url: string, onRequest: (request: IncomingMessage) => void): Disposable {
  const port = Number(new URL(url).port);
  const channel = 'http.server.request.start';
  const listener = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('request' in message)) return;
    const { request } = message;
    if (request instanceof IncomingMessage && request.socket.localPort === port) onRequest(request);
  };
  subscribe(channel, listener);
  return { [Symbol.dispose]: () => void unsubscribe(channel, listener) };
}
