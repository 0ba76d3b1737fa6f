import { InputError, type RawInputs } from '../inputs/parse.ts';
import { INPUT_NAMES } from '../inputs/tasks.ts';
import { EMPTY_REPORT, type Report, type ReportedError, type Task } from '../report/report.ts';
import { reportedError } from '../report/verdict.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { watchTransfer } from './progress.ts';
import { publish } from './publish.ts';
import { cancelSignal, readInputs, sleep, workspace } from './runner.ts';

/** What a step runs: from raw inputs to a report. */
export type Run = (raw: RawInputs, surroundings: Omit<Surroundings, 'userAgent'>) => Promise<Report>;

/** Runs a step of the workflow to its end: inputs read, secrets masked, a report published whatever happens. */
export async function step(task: Task, run: Run): Promise<void> {
  const raw = readInputs(INPUT_NAMES[task]);
  const observer = watchTransfer();
  const surroundings = {
    workspace: workspace(),
    cancel: cancelSignal(),
    sleep,
    random: Math.random,
    observer,
  };
  const report = await Promise.try(run, raw, surroundings).catch(error => ({ ...toReport(error), task }));
  observer.stop();
  await publish(report, { summary: !/^\s*false\s*$/i.test(raw['summary'] ?? '') });
}

function toReport(error: unknown): Report {
  return { ...EMPTY_REPORT, errors: [error instanceof InputError ? reportedError(error) : bug(error)] };
}

function bug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. Please report this, it is a bug.',
    details: stack.split('\n'),
  };
}
