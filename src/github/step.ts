import { type Redact, redactor } from '../agent/redact.ts';
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
  const redact = redactor([raw['token'] ?? '', raw['signature'] ?? ''].map(secret => secret.trim()));
  const report = await Promise.try(run, raw, surroundings).catch(error => ({
    ...toReport(error, redact),
    task,
  }));
  observer.stop();
  await publish(report, { summary: !/^\s*false\s*$/i.test(raw['summary'] ?? '') });
}

/** The report of a run that could not be made. A value given may hold the token where it does not belong. */
function toReport(error: unknown, redact: Redact): Report {
  const { message, details } = error instanceof InputError ? reportedError(error) : bug(error);
  return { ...EMPTY_REPORT, errors: [{ message: redact(message), details: details.map(redact) }] };
}

function bug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. Please report this, it is a bug.',
    details: stack.split('\n'),
  };
}
