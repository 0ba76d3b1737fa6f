import { sleep } from '../agent/retry.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { USER_AGENT } from '../inputs/headers.ts';
import { InputError } from '../inputs/input-error.ts';
import {
  type Entry,
  type Inputs,
  parseInputs,
  type ReportingEntry,
  showInputs,
  taskOf,
} from '../inputs/inputs.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { reportError } from '../report/verdict.ts';
import type { Context } from '../run/context.ts';
import { type Redact, redactor } from '../text/redact.ts';
import { logDebug } from './log.ts';
import { watchTransfer } from './observer.ts';
import { publish } from './publish.ts';
import {
  cacheWarnings,
  cancelSignal,
  environmentWarnings,
  headerValuesIn,
  misnamedInputs,
  readInputs,
  secretsOf,
  strayInputs,
  workspace,
} from './runner.ts';

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
  // Ignore EPIPE on stdout: outputs and summary must still be written.
  process.stdout.on('error', () => {});
  const raw = given ?? readInputs(entry);
  const redact = redactor(secretsOf(raw));
  const debug = debugLog(raw);
  debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
  const cancel = cancelSignal();
  const { observer, stop } = watchTransfer(debug);
  const context: Context = {
    workspace: workspace(),
    cancel,
    clock: () => performance.now(),
    now: Date.now,
    sleep,
    random: Math.random,
    cacheWarnings: cacheWarnings(),
    observer,
    debug,
  };
  const report = await Promise.try(() => {
    const inputs = given === undefined ? parseGiven(entry, raw, redact) : parseInputs(entry, raw);
    for (const line of showInputs(entry, inputs)) debug(`Input ${line}`);
    return run(inputs, context, raw);
  }).catch((error: unknown) => failedReport(entry, raw, redact, error));
  stop();
  const hasSummary = !/^\s*false\s*$/i.test(raw['summary'] ?? '');
  if (report !== undefined) {
    const warnings = [...environmentWarnings(), ...report.warnings];
    await publish({ ...report, warnings }, hasSummary);
  }
  // A cancelled search may still walk a huge tree; a monitor still has to remove its record.
  if (cancel.aborted && taskOf(entry) !== 'monitor') process.stdout.write('', () => process.exit());
}

/** Writes debug lines without secrets; any header of the user may hold one. */
export function debugLog(raw: RawInputs): (text: string) => void {
  const redact = redactor([...secretsOf(raw), ...headerValuesIn(raw)]);
  return text => logDebug(text, redact);
}

/** Parses the inputs of an entry. @throws InputError with everything that is wrong with them */
export function parseGiven<T extends Entry>(entry: T, raw: RawInputs, redact: Redact): Inputs<T> {
  const strays = strayInputs(raw);
  const isStray = (input: string) => strays.some(stray => stray.input === input);
  // A problem may quote an input, and cut it within a secret, so redact before parsing.
  const clean = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, isStray(name) ? redact(value) : value]),
  );
  const misnamed = misnamedInputs(entry);
  const problems = [...strays];
  try {
    const inputs = parseInputs(entry, clean);
    if (strays.length + misnamed.length === 0) return inputs;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problems.push(...error.problems.filter(({ input }) => !isStray(input)));
  }
  throw new InputError([...problems, ...misnamed]);
}

/** What kept a run from its work: invalid inputs, or a bug. */
function failedReport(
  entry: ReportingEntry,
  raw: RawInputs,
  redact: Redact,
  error: unknown,
): Report {
  const { message, details } = error instanceof InputError ? reportError(error) : reportBug(error);
  const errors = [{ message: redact(message), details: details.map(redact) }];
  const name = redact(raw['name']?.trim() ?? '');
  // Nothing was judged, so a gate that was asked for stays shut.
  const isGated = entry === 'monitor-stop' || Boolean(raw['fail-if']?.trim());
  const gate: Gate = isGated ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  return { ...EMPTY_REPORT, task: taskOf(entry), name, gate, errors };
}

export function reportBug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: 'Sandbox Sync itself failed. This is a bug; please report it.',
    details: stack.split('\n'),
  };
}
