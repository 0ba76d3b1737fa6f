import { answerWith, beginAnswer } from '../process-frames.ts';
import { onWindows } from '../system.ts';
import type { Result } from './result.ts';
import { expectFailure, expectSuccess, type Inputs, type RunOptions } from './run-action.ts';
import {
  openScriptedJob,
  type ReceivedRequest,
  type Responder,
  type Responders,
} from './scripted-agent.ts';
import { openJob, type TestJob, type TestJobOptions } from './test-job.ts';

export const WITHOUT_BASH = onWindows('there is no /bin/bash');

export function openCommandJob(options: TestJobOptions = {}): Promise<TestJob> {
  return openJob({ runCommands: true, ...options });
}

export async function succeed(inputs: Inputs, options: TestJobOptions = {}): Promise<Result> {
  await using job = await openCommandJob(options);
  return await expectSuccess(job, inputs, { task: 'run' });
}

export async function fail(inputs: Inputs, options: TestJobOptions = {}): Promise<Result> {
  await using job = await openCommandJob(options);
  return await expectFailure(job, inputs, { task: 'run' });
}

interface ScriptedRun extends Pick<Responders, 'processes' | 'stats'>, Pick<RunOptions, 'onLine'> {
  readonly inputs?: Inputs;
}

interface ScriptedResult extends Result {
  /** Returns the requests for an operation of the process service, such as `Start`. */
  readonly calls: (operation: string) => ReceivedRequest[];
}

export function succeedScripted(run: ScriptedRun): Promise<ScriptedResult> {
  return runScripted(expectSuccess, run);
}

export function failScripted(run: ScriptedRun): Promise<ScriptedResult> {
  return runScripted(expectFailure, run);
}

async function runScripted(
  expectEnd: typeof expectSuccess,
  { inputs, onLine = () => {}, ...responders }: ScriptedRun,
): Promise<ScriptedResult> {
  await using job = await openScriptedJob(responders);
  const given = { run: 'npm test', ...inputs };
  const result = await expectEnd(job, given, { task: 'run', onLine });
  const calls = (operation: string) =>
    job.agent.requests.filter(({ line }) => line.startsWith(`POST /process.Process/${operation} `));
  return Object.assign(result, { calls });
}

export function sendFrames(...frames: readonly Buffer[]): Responder {
  return socket => answerWith(socket, frames);
}

/** Sends the beginning of an answer, then closes the connection. */
export function loseAfter(...frames: readonly Buffer[]): Responder {
  return socket => {
    beginAnswer(socket, frames);
    socket.end();
  };
}

export function inTurn(...answers: readonly Responder[]): Responder {
  const left = [...answers];
  return (socket, request) => left.shift()?.(socket, request);
}
