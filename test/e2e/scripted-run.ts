import { answerWith } from '../process-frames.ts';
import type { Result } from './result.ts';
import { expectFailure, expectSuccess, type Inputs } from './run-action.ts';
import { openScriptedAgent, type ReceivedRequest, type Responder } from './scripted-agent.ts';
import { openJob } from './test-job.ts';

interface ScriptedRun {
  /** Answers the calls of the process service, by name. */
  readonly processes: Readonly<Record<string, Responder>>;
  readonly inputs?: Inputs;
  readonly stats?: Responder;
}

interface ScriptedResult {
  readonly result: Result;
  /** The calls of the process service, by name. */
  readonly calls: (name: string) => ReceivedRequest[];
}

/** Runs the action `run` against an agent that answers with whatever bytes a test gives it. */
async function runScripted(
  expectEnd: typeof expectSuccess,
  { processes, inputs, stats }: ScriptedRun,
): Promise<ScriptedResult> {
  await using agent = await openScriptedAgent({ processes, ...(stats && { stats }) });
  await using job = await openJob();
  const given = { 'base-url': agent.url, run: 'npm test', ...inputs };
  const result = await expectEnd(job, given, { task: 'run' });
  const calls = (name: string) =>
    agent.requests.filter(({ line }) => line.startsWith(`POST /process.Process/${name} `));
  return { result, calls };
}

/** Runs the action `run`, and asserts that it succeeds. */
export function succeedScripted(run: ScriptedRun): Promise<ScriptedResult> {
  return runScripted(expectSuccess, run);
}

/** Runs the action `run`, and asserts that it fails. */
export function failScripted(run: ScriptedRun): Promise<ScriptedResult> {
  return runScripted(expectFailure, run);
}

/** Answers with these frames. */
export function sendFrames(...frames: readonly Buffer[]): Responder {
  return socket => answerWith(socket, frames);
}
