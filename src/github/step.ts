import { sleep } from '../agent/retry.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import { InputError, type RawInputs } from '../inputs/parse.ts';
import { type Inputs, parseInputs, showInputs, type Task } from '../inputs/table.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { reportedError } from '../report/verdict.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { redactor } from '../text/redact.ts';
import { allOf } from '../upload/discover.ts';
import { checkFiles } from '../upload/selection.ts';
import { cost, openDebug } from './debug.ts';
import { watchTransfer } from './progress.ts';
import { publish } from './publish.ts';
import { cacheWarnings, cancelSignal, readInputs, secretsIn, workspace } from './runner.ts';

/** What a step does with its inputs. Without a report, there is nothing to publish yet. */
export type Run<T extends Task> = (
  inputs: Inputs<T>,
  surroundings: Surroundings,
  raw: RawInputs,
) => Promise<Report | undefined>;

/** Runs a step of the workflow to its end: inputs read, secrets masked, a report published whatever happens. */
export async function step<T extends Task>(task: T, run: Run<T>): Promise<void> {
  // A log that nobody takes any more must not keep outputs and verdict from being written.
  process.stdout.on('error', () => {});
  const raw = readInputs(task);
  const log = openDebug(raw);
  const debug = log?.debug;
  const cancel = cancelSignal();
  const { observer, stop } = watchTransfer();
  const report = await reportOf(task, raw, async () => {
    const inputs = await parse(task, raw, cancel);
    const shown = showInputs(task, inputs).map(line => `Input ${line}`);
    debug?.('inputs', shown.join('\n'));
    const time = { clock: () => performance.now(), now: Date.now, sleep, random: Math.random };
    const places = { workspace: workspace(), cacheWarnings: cacheWarnings() };
    return run(inputs, { ...time, ...places, cancel, debug, observer }, raw);
  });
  stop();
  log?.end();
  const summary = !/^\s*false\s*$/i.test(raw['summary'] ?? '');
  if (report !== undefined) await publish(report, { summary, debug });
  debug?.('cost', cost());
  // A search may still be going through a tree without end; a monitor has its record to remove.
  if (cancel.aborted && task !== 'monitor') process.stdout.write('', () => process.exit());
}

/** The inputs of a task. @throws InputError that holds all that is wrong with them, also with the files that they name. */
function parse<T extends Task>(task: T, raw: RawInputs, cancel: AbortSignal): Promise<Inputs<T>> {
  const parsing = Promise.try(() => parseInputs(task, raw));
  if (raw['files'] === undefined) return parsing;
  const files = () => checkFiles(raw, { workspace: workspace(), cancel });
  return parsing.catch(async () => (await allOf([parsing, files()]))[0]);
}

/** What a run reports, or what kept it from its work: wrong input, or a bug. */
async function reportOf(
  task: Task,
  raw: RawInputs,
  run: () => Promise<Report | undefined>,
): Promise<Report | undefined> {
  try {
    return await run();
  } catch (error) {
    // A value given may hold the token where it does not belong.
    const redact = redactor(secretsIn(raw));
    const { message, details } = error instanceof InputError ? reportedError(error) : bug(error);
    const errors = [{ message: redact(message), details: details.map(redact) }];
    // Nothing was judged, so a gate that was asked for stays shut.
    const gate: Gate = raw['fail-if']?.trim() ? { ...NO_GATE, state: 'failed' } : NO_GATE;
    return { ...EMPTY_REPORT, task, gate, errors };
  }
}

function bug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. Please report this, it is a bug.',
    details: stack.split('\n'),
  };
}
