import { sleep } from '../agent/retry.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { type Inputs, type ReportingEntry, taskOf } from '../inputs/inputs.ts';
import { EMPTY_REPORT, type Report } from '../report/report.ts';
import { reportError } from '../report/verdict.ts';
import type { Context } from '../run/context.ts';
import type { Redact } from '../text/redact.ts';
import { watchRun } from './observer.ts';
import { openStep } from './open-step.ts';
import { publish } from './publish.ts';
import { cacheWarnings, cancelSignal, environmentWarnings, workspace } from './runner.ts';

/** What a step does with its inputs. Without a report, there is nothing to publish yet. */
export type Run<T extends ReportingEntry> = (
  inputs: Inputs<T>,
  context: Context,
  raw: RawInputs,
) => Promise<Report | undefined>;

/** Runs a step of the workflow, and publishes a report however it ends. */
export async function step<T extends ReportingEntry>(
  entry: T,
  run: Run<T>,
  given?: RawInputs,
): Promise<void> {
  const { raw, redact, debug, parse } = openStep(entry, given);
  const cancel = cancelSignal();
  const context: Context = {
    workspace: workspace(),
    cancel,
    clock: () => performance.now(),
    now: Date.now,
    sleep,
    random: Math.random,
    cacheWarnings: cacheWarnings(),
    observer: watchRun(debug),
    debug,
  };
  const report = await Promise.try(() => run(parse(), context, raw)).catch((error: unknown) =>
    failedReport(entry, raw, redact, error),
  );
  // Read from the raw value: a step with invalid inputs has a summary too.
  const hasSummary = !/^\s*false\s*$/i.test(raw['summary'] ?? '');
  if (report !== undefined) {
    const warnings = [...environmentWarnings(), ...report.warnings];
    await publish({ ...report, warnings }, hasSummary);
  }
  // A cancelled search may still be walking a huge tree. The steps of a monitor search nothing.
  if (cancel.aborted && taskOf(entry) !== 'monitor') process.stdout.write('', () => process.exit());
}

/** What kept a run from its work: invalid inputs, or a bug. */
function failedReport(
  entry: ReportingEntry,
  raw: RawInputs,
  redact: Redact,
  error: unknown,
): Report {
  const { message, details } = reportError(error);
  const errors = [{ message: redact(message), details: details.map(redact) }];
  const name = redact(raw['name']?.trim() ?? '');
  // Nothing was judged, so a gate that was asked for stays shut.
  const isGated = entry === 'monitor-stop' || Boolean(raw['fail-if']?.trim());
  const gate: Gate = isGated ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  return { ...EMPTY_REPORT, task: taskOf(entry), name, gate, errors };
}
