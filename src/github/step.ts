import { sleep } from '../agent/retry.ts';
import { type Gate, NO_GATE } from '../gate/judge.ts';
import { allOf, InputError, type RawInputs } from '../inputs/parse.ts';
import { type Entry, type Inputs, parseInputs, SECRET_INPUTS, showInputs, taskOf } from '../inputs/table.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { reportedError } from '../report/verdict.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { redactor } from '../text/redact.ts';
import { cost, openDebug } from './debug.ts';
import { watchTransfer } from './progress.ts';
import { publish } from './publish.ts';
import { cacheWarnings, cancelSignal, readInputs, refuseSlips, secretsIn, workspace } from './runner.ts';

/** What a step does with its inputs. Without a report, there is nothing to publish yet. */
export type Run<T extends Entry> = (
  inputs: Inputs<T>,
  surroundings: Surroundings,
  raw: RawInputs,
) => Promise<Report | undefined>;

export interface StepOptions {
  /** In place of the inputs that the runner hands over. */
  readonly given?: RawInputs;
  /** Looks for what else is wrong where inputs are refused. @throws InputError */
  readonly check?: (raw: RawInputs, surroundings: Surroundings) => Promise<void>;
}

/** Runs a step of the workflow to its end: inputs read, secrets masked, a report published whatever happens. */
export async function step<T extends Entry>(entry: T, run: Run<T>, { given, check }: StepOptions = {}): Promise<void> {
  // A log that nobody takes any more must not keep outputs and verdict from being written.
  process.stdout.on('error', () => {});
  const raw = given ?? readInputs(entry);
  const log = openDebug(raw);
  const debug = log?.debug;
  const cancel = cancelSignal();
  const { observer, stop } = watchTransfer();
  const running = async () => {
    const time = { clock: () => performance.now(), now: Date.now, sleep, random: Math.random };
    const places = { workspace: workspace(), cacheWarnings: cacheWarnings() };
    const surroundings = { ...time, ...places, cancel, debug, observer };
    const naming = Promise.try(() => (given === undefined ? refuseSlips(entry) : undefined));
    const inputs = await parse(entry, raw, naming, async () => check?.(raw, surroundings));
    const shown = showInputs(entry, inputs).map(line => `Input ${line}`);
    debug?.('inputs', shown.join('\n'));
    return run(inputs, surroundings, raw);
  };
  const report = await running().catch((error: unknown) => failedReport(entry, raw, error));
  stop();
  log?.end();
  const withSummary = !/^\s*false\s*$/i.test(raw['summary'] ?? '');
  if (report !== undefined) await publish(report, withSummary, debug);
  debug?.('cost', cost());
  // A search may still be going through a tree without end; a monitor has its record to remove.
  if (cancel.aborted && taskOf(entry) !== 'monitor') process.stdout.write('', () => process.exit());
}

// A shorter one may stand in other words.
const MIN_SECRET = 8;

/** Refuses inputs that hold a secret of another: what quotes, cuts or shows them would show it. @throws InputError */
function refuseStrays(raw: RawInputs): void {
  const redact = redactor(secretsIn(raw).filter(({ length }) => length >= MIN_SECRET));
  const places = Object.entries(raw).filter(([name]) => name !== 'headers' && !SECRET_INPUTS.includes(name));
  const strays = places.filter(([, value]) => redact(value) !== value);
  const message = 'contains the token or the signature, which belongs only in its own input.';
  if (strays.length > 0) throw new InputError(strays.map(([input]) => ({ input, message })));
}

/** The inputs of an entry. @throws InputError that holds all that is wrong with them, also with the files that they name. */
async function parse<T extends Entry>(
  entry: T,
  raw: RawInputs,
  naming: Promise<void>,
  checkMore: () => Promise<void>,
): Promise<Inputs<T>> {
  refuseStrays(raw);
  const parsing = Promise.try(() => parseInputs(entry, raw));
  const [inputs] = await allOf([parsing, naming]).catch(() => allOf([parsing, naming, checkMore()]));
  return inputs;
}

/** What kept a run from its work: wrong input, or a bug. */
function failedReport(entry: Entry, raw: RawInputs, error: unknown): Report {
  // A value given may hold the token where it does not belong.
  const redact = redactor(secretsIn(raw));
  const { message, details } = error instanceof InputError ? reportedError(error) : bug(error);
  const errors = [{ message: redact(message), details: details.map(redact) }];
  // Nothing was judged, so a gate that was asked for stays shut.
  const gate: Gate = raw['fail-if']?.trim() ? { ...NO_GATE, state: 'failed' } : NO_GATE;
  return { ...EMPTY_REPORT, task: taskOf(entry), gate, errors };
}

function bug(error: unknown): ReportedError {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: 'Sandbox Sync itself failed. This is a bug; please report it.', details: stack.split('\n') };
}
