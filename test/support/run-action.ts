import assert from 'node:assert/strict';
import path from 'node:path';
import { type ActionFile, readActionFile } from '../../dev/runner/action-file.ts';
import { runStep, type Step, type StepEnd } from '../../dev/runner/step.ts';
import { ACTIONS, type ActionName } from '../../src/inputs/inputs.ts';
import './built-dist.ts';
import { type Result, resultOf } from './result.ts';
import {
  type EmptyJob,
  type IncomingRequest,
  openJob,
  SANDBOX_ID,
  type TestJob,
  type TestJobOptions,
  TOKEN,
} from './test-job.ts';

/** A safety net: the slowest action ends long before. */
const KILL_AFTER_MS = 60_000;

const PROJECT = path.resolve(import.meta.dirname, '../..');

export type Inputs = Step['inputs'];

export type Signal = (name: NodeJS.Signals) => void;

export interface RunOptions extends Pick<Step, 'env'> {
  /** Default: `sync`, the root action. */
  readonly task?: ActionName;
  /** Runs the post step with the state that the main step saved. */
  readonly post?: Pick<StepEnd, 'state'>;
  readonly onLine?: (line: string, signal: Signal) => void;
  /** Called with each valid upload, stats or API request before it is performed. */
  readonly onRequest?: (request: IncomingRequest, signal: Signal) => void;
  readonly onStart?: (signal: Signal) => void;
}

/** Runs the built action as the runner does, by default with valid inputs for the job's agent. */
export async function runAction(
  job: EmptyJob & { readonly agent?: { readonly url: string } },
  inputs: Inputs = {},
  options: RunOptions = {},
): Promise<Result> {
  const { task = 'sync', env = {}, post, onRequest, onLine, onStart } = options;
  const declared = await readActionFile(folderOf(task));
  const tooLong = AbortSignal.timeout(KILL_AFTER_MS);
  let signal: Signal = () => assert.fail('the action does not run yet');
  const { agent, listener } = job;
  listener.onRequest = request => onRequest?.(request, signal);
  const end = await runStep({
    action: folderOf(task),
    inputs: allInputs(declared, agent?.url, inputs),
    workspace: job.workspace,
    temp: job.temp,
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    post,
    onLine: line => onLine?.(line, signal),
    onStart(send) {
      signal = send;
      onStart?.(send);
      tooLong.addEventListener('abort', () => send('SIGKILL'));
    },
  });
  listener.onRequest = undefined;
  assert.ok(!tooLong.aborted, `the action did not end by itself:\n${end.stdout}${end.stderr}`);
  const result = resultOf(end, job.temp);
  const outputs = Object.keys(end.outputs);
  // A step that fails before it does anything only has `gate` and `report`, or none.
  const isDone = end.exitCode === 0 || outputs.length > 2;
  const canWrite = !('GITHUB_OUTPUT' in env || 'RUNNER_TEMP' in env);
  if (isDone && post === undefined && canWrite) {
    const ofScript = task === 'run' ? result.report.command.outputs : [];
    const expected = [...declared.outputs.map(({ name }) => name), ...ofScript];
    assert.deepEqual(outputs.sort(), expected.sort());
  }
  return result;
}

export async function expectSuccess(...run: Parameters<typeof runAction>): Promise<Result> {
  const result = await runAction(...run);
  assert.equal(result.exitCode, 0, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  return result;
}

/** Runs the action and asserts that it fails with an error annotation that is not about a bug. */
export async function expectFailure(...run: Parameters<typeof runAction>): Promise<Result> {
  const result = await runAction(...run);
  assert.equal(result.exitCode, 1, result.stdout + result.stderr);
  assert.equal(result.stderr, '');
  assert.notEqual(result.errors, '');
  assert.doesNotMatch(result.stdout, /is a bug; please report|^\s+at |%0A\s+at /m);
  return result;
}

/** Runs the action `run` in a new job, and asserts that it succeeds. */
export const expectRunSuccess = (inputs: Inputs, options?: TestJobOptions) =>
  runInNewJob(expectSuccess, inputs, options);

/** Runs the action `run` in a new job, and asserts that it fails. */
export const expectRunFailure = (inputs: Inputs, options?: TestJobOptions) =>
  runInNewJob(expectFailure, inputs, options);

async function runInNewJob(
  expectEnd: typeof expectSuccess,
  inputs: Inputs,
  options: TestJobOptions = {},
): Promise<Result> {
  await using job = await openJob({ runCommands: true, ...options });
  return await expectEnd(job, inputs, { task: 'run' });
}

/** Returns the environment variables with which Node runs a script before the action. */
export function preload(script: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

function folderOf(task: ActionName): string {
  return path.join(PROJECT, ACTIONS[task].folder);
}

/** Adds valid connection inputs and `files`, if the action has them and the job has an agent. */
function allInputs(
  { inputs: declared }: ActionFile,
  url: string | undefined,
  given: Inputs,
): Inputs {
  const names = new Set(declared.map(({ name }) => name));
  for (const name of Object.keys(given))
    assert.ok(names.has(name), `action.yml has no input ${name}`);
  // Of all actions with a connection, only `sandbox` has no `port`.
  if (!names.has('port') || url === undefined) return given;
  const files = names.has('files') ? { files: '**' } : {};
  return { 'sandbox-id': SANDBOX_ID, token: TOKEN, 'base-url': url, ...files, ...given };
}

export function uploadRequests({ agent }: TestJob) {
  return agent.requests.filter(({ method }) => method === 'POST');
}

export function requestMethods({ agent }: TestJob): string {
  return agent.requests.map(({ method }) => method).join(' ');
}

/** Returns the decoded `path` of an upload's query. */
export function uploadPathOf({ url = '' }: IncomingRequest): string {
  return new URL(url, 'http://agent').searchParams.get('path') ?? assert.fail(`no path in ${url}`);
}
