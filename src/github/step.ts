import { sleep } from '../agent/sleep.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import { InputError, type RawInputs } from '../inputs/parse.ts';
import { type AnyTask, INPUT_NAMES } from '../inputs/tasks.ts';
import { EMPTY_REPORT, type Report, type ReportedError, type Task } from '../report/report.ts';
import { reportedError } from '../report/verdict.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { redactor } from '../text/redact.ts';
import { type DebugLog, openDebugLog } from './debug.ts';
import { costLine, environmentLines, networkLines } from './debug-environment.ts';
import { inputLines } from './debug-inputs.ts';
import { watchTransfer } from './progress.ts';
import { publish } from './publish.ts';
import { cancelSignal, readInputs, secretsIn, workspace } from './runner.ts';

/** What a step does, from raw inputs to a report. */
export interface Step<T extends AnyTask> {
  readonly task: Task;
  readonly userAgent: string;
  readonly parse: (raw: RawInputs) => T;
  readonly run: (task: T, surroundings: Surroundings) => Promise<Report>;
}

/** Runs a step of the workflow to its end: inputs read, secrets masked, a report published whatever happens. */
export async function step<T extends AnyTask>({ task, userAgent, parse, run }: Step<T>): Promise<void> {
  const raw = readInputs(INPUT_NAMES[task]);
  const debug = openDebugLog(raw);
  debug?.(...environmentLines(userAgent));
  const observer = watchTransfer(debug);
  const surroundings = {
    workspace: workspace(),
    userAgent,
    cancel: cancelSignal(),
    sleep,
    random: Math.random,
    now: Date.now,
    clock: () => performance.now(),
    observer,
  };
  try {
    const inputs = parse(raw);
    debug?.(...networkLines(inputs.connection.baseUrl), ...inputLines(inputs));
    const report = await run(inputs, surroundings);
    observer.stop();
    await publish(report, { summary: wantsSummary(raw), debug });
  } catch (error) {
    observer.stop();
    await publishFailure({ task, raw, debug }, error);
  }
  debug?.(costLine());
}

/** A step that failed, as far as it is known. */
export interface FailedStep {
  readonly task: Task;
  readonly raw: RawInputs;
  readonly debug: DebugLog;
}

/** Publishes what kept a step from its work: wrong input, or a bug. */
export async function publishFailure({ task, raw, debug }: FailedStep, error: unknown): Promise<void> {
  // A value given may hold the token where it does not belong.
  const redact = redactor(secretsIn(raw));
  const { message, details } = error instanceof InputError ? reportedError(error) : bug(error);
  const errors = [{ message: redact(message), details: details.map(redact) }];
  // Nothing was judged, so a gate that was asked for stays shut.
  const gate: Gate = raw['fail-if']?.trim() ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  await publish({ ...EMPTY_REPORT, task, gate, errors }, { summary: wantsSummary(raw), debug });
}

function wantsSummary(raw: RawInputs): boolean {
  return !/^\s*false\s*$/i.test(raw['summary'] ?? '');
}

function bug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. Please report this, it is a bug.',
    details: stack.split('\n'),
  };
}
