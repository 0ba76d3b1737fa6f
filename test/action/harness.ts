import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { type Result, resultOf } from './results.ts';
import { SANDBOX_ID, type StepPlaces, TOKEN, type World } from './world.ts';

export type { Report, ReportedFile, Result } from './results.ts';
export * from './world.ts';

const PROJECT = path.resolve(import.meta.dirname, '../..');

/** The action must have ended by itself long before. */
const KILL_AFTER_MS = 60_000;

export type Inputs = Readonly<Record<string, string>>;

/** The actions, by the folder that their action.yml is in. */
const FOLDERS = { sync: '', upload: 'upload', stats: 'stats' } as const;

type Task = keyof typeof FOLDERS;

export interface RunOptions {
  /** Which action to run; the root action if not given. */
  readonly task?: Task;
  /** Variables beside those that the runner sets; an empty value unsets one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Told of each request as its headers reach the world's agent, before the agent acts on it. */
  readonly onRequest?: (request: IncomingMessage, action: ChildProcess) => void;
}

/** Runs the built action as the runner does, with a good connection to the world's agent and everything to upload. */
export async function runAction(
  world: World,
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const places = world.newStep();
  const action = actionOf(options.task ?? 'sync');
  const all = inputVariables(action, { ...defaultInputs(world, action), ...inputs });
  const child = spawn(process.execPath, [action.main], {
    cwd: world.workspace,
    env: environment(world, places, { ...all, ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  using _ = watchRequests(world.agent.url, request => options.onRequest?.(request, child));
  let killed = false;
  const timer = setTimeout(() => {
    killed = child.kill('SIGKILL');
  }, KILL_AFTER_MS);
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  clearTimeout(timer);
  assert.ok(!killed, `the action did not end by itself:\n${stdout}${stderr}`);
  return resultOf({ code, stdout, stderr }, places);
}

/** Runs the action and asserts that the step succeeded. */
export async function runWell(world: World, inputs: Inputs = {}, options: RunOptions = {}): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.code, 0, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  return result;
}

/** Runs the action and asserts that the step failed, in an orderly way. */
export async function runBadly(world: World, inputs: Inputs = {}, options: RunOptions = {}): Promise<Result> {
  const result = await runAction(world, inputs, options);
  assert.equal(result.code, 1, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  assert.ok(result.annotations('error').length > 0);
  assert.doesNotMatch(result.stdout, /it is a bug/);
  return result;
}

/** The uploads that reached the agent. */
export function uploads(world: World) {
  return world.agent.requests.filter(({ method }) => method === 'POST');
}

/** The decoded `path` of an upload's query. */
export function pathOf({ url = '' }: { readonly url?: string | undefined }): string {
  return new URLSearchParams(url.replace(/^[^?]*/, '')).get('path') ?? assert.fail(`no path in ${url}`);
}

function defaultInputs(world: World, { defaults }: Action): Inputs {
  const files = 'files' in defaults ? { files: '**' } : {};
  return { 'sandbox-id': SANDBOX_ID, token: TOKEN, 'base-url': world.agent.url, ...files };
}

function environment(
  world: World,
  places: StepPlaces,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = {
    PATH: process.env['PATH'] ?? '',
    GITHUB_WORKSPACE: world.workspace,
    RUNNER_TEMP: places.temp,
    GITHUB_OUTPUT: places.output,
    GITHUB_STEP_SUMMARY: places.summary,
    ...variables,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => value !== '' || name.startsWith('INPUT_')),
  );
}

/** The runner hands over every input of action.yml, with its default or empty where it is not given. */
function inputVariables({ defaults }: Action, given: Inputs): Record<string, string> {
  for (const name of Object.keys(given)) assert.ok(name in defaults, `action.yml has no input ${name}`);
  return Object.fromEntries(
    Object.entries({ ...defaults, ...given }).map(([name, value]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      value,
    ]),
  );
}

interface Action {
  /** The script that runs, an absolute path. */
  readonly main: string;
  /** Each input's default, by name. */
  readonly defaults: Readonly<Record<string, string>>;
  /** The names of the outputs. */
  readonly outputs: readonly string[];
}

/** What the action.yml of a task declares. */
export function actionOf(task: Task): Action {
  const folder = path.join(PROJECT, FOLDERS[task]);
  const action: {
    inputs: Record<string, { default?: string } | null>;
    outputs: Record<string, unknown>;
    runs: { main: string };
  } = parse(readFileSync(path.join(folder, 'action.yml'), 'utf8'));
  const defaults = Object.entries(action.inputs).map(([name, input]) => [name, String(input?.default ?? '')]);
  return {
    main: path.join(folder, action.runs.main),
    defaults: Object.fromEntries(defaults),
    outputs: Object.keys(action.outputs),
  };
}

/** Calls `onRequest` for each request to the server at `url` in this process, until it is disposed of. */
export function watchRequests(url: string, onRequest: (request: IncomingMessage) => void): Disposable {
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
