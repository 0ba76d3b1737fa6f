import { USER_AGENT } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { sleep } from '../agent/retry.ts';
import { type JobSandbox, secretsIn, withJobSandbox } from '../inputs/connection.ts';
import {
  type Connection,
  type EntryPoint,
  type Inputs,
  inputNames,
  type Task,
} from '../inputs/inputs.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import { type RawInputs, rawValue } from '../inputs/parsers.ts';
import type { Results } from '../report/render.ts';
import { reasonOfError, textsOf } from '../report/section.ts';
import { redactor } from '../text/escape.ts';
import { loadJobSandboxes, readInputs } from './job-state.ts';
import { openLog } from './log.ts';
import { publish } from './publish.ts';

type Handler<T extends EntryPoint, R> = (
  inputs: Inputs<T>,
  context: Context,
  raw: RawInputs,
) => Promise<R>;

/** Runs a step. Logs a failure as an error, or as a warning that begins with `failureWarning`. */
export async function runStep<T extends EntryPoint>(
  entry: T,
  handler: Handler<T, void>,
  savedInputs?: RawInputs,
  failureWarning?: string,
): Promise<void> {
  const { context, error } = await callHandler(entry, handler, savedInputs);
  if (error === undefined) return;
  const lines = textsOf(error);
  if (failureWarning === undefined) context.log.fail(lines);
  else context.log.warning([failureWarning, ...lines].join(' '));
}

type MonitorEnd = 'monitor-stop' | 'monitor-end';

/** A step that ends a monitor has the sandbox and name of the monitor, in place of its own. */
interface StepResults extends Results {
  readonly sandbox?: Pick<Connection, 'sandboxId' | 'baseUrl'>;
  readonly name?: string;
}

/** Runs a step and publishes a report of its results, even if the handler throws. */
export async function runReportingStep<T extends Task | MonitorEnd>(
  entry: T,
  handler: Handler<T, StepResults | undefined>,
  savedInputs?: RawInputs,
): Promise<void> {
  const { context, raw, inputs, results, error } = await callHandler(entry, handler, savedInputs);
  const { cancel, redact, log } = context;
  const { sandboxId: id = '', baseUrl = '' } = results?.sandbox ?? inputs;
  const report = {
    task: taskOf(entry),
    name: rawValue(raw, 'name'),
    ...results,
    sandbox: { id, baseUrl },
    cancelled: cancel.aborted,
    ...(error && { error }),
    // Nothing was judged, so a `fail-if` fails. Assume that the monitor to stop has one.
    isGateUnseen:
      error !== undefined && (entry === 'monitor-stop' || rawValue(raw, 'fail-if') !== ''),
  };
  // A step with invalid inputs has a summary too, so read the raw value.
  const withSummary = !/^false$/i.test(rawValue(raw, 'summary'));
  if (results ?? error) await publish(report, { log, redact, withSummary });
  // Exit now: a cancelled search may still be walking a huge tree.
  if (cancel.aborted) process.stdout.write('', () => process.exit());
}

function taskOf(entry: Task | MonitorEnd): Task {
  return entry === 'monitor-stop' || entry === 'monitor-end' ? 'monitor' : entry;
}

/** Parses the inputs and calls the handler. `error` explains what either has thrown. */
async function callHandler<T extends EntryPoint, R>(
  entry: T,
  handler: Handler<T, R>,
  savedInputs: RawInputs | undefined,
) {
  // Ignore EPIPE on stdout: outputs must still be written and sandboxes deleted.
  process.stdout.on('error', () => {});
  const raw = savedInputs ?? readInputs(entry);
  const usesSandbox = entry !== 'sandbox' && inputNames(entry).includes('token');
  const sandboxes = usesSandbox ? loadJobSandboxes() : [];
  const context = openContext(raw, sandboxes);
  let inputs: Partial<Connection> = {};
  try {
    const filled = usesSandbox ? withJobSandbox(raw, sandboxes) : raw;
    const parsed = parseInputs(entry, filled);
    inputs = parsed;
    const results = await handler(parsed, context, filled);
    return { context, raw, inputs, results };
  } catch (thrown) {
    return { context, raw, inputs, error: reasonOfError(thrown) };
  }
}

function openContext(raw: RawInputs, sandboxes: readonly JobSandbox[]) {
  const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
  const log = openLog(redact);
  log.debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
  return {
    workspace: process.env['GITHUB_WORKSPACE'] || process.cwd(),
    ...cancelSignals(),
    clock: () => performance.now(),
    now: Date.now,
    sleep,
    random: Math.random,
    redact,
    sandboxes,
    log,
  };
}

// A cancelled step gets SIGINT, then SIGTERM (SIGBREAK on Windows). The runner sends SIGTERM 7.5 s
// after SIGINT, and kills 2.5 s later (ProcessInvoker.cs in actions/runner). It gives a background
// step up after 7.5 s, and reads no state after that.
const SIGNALS = [
  { name: 'SIGINT', graceMs: 6500 },
  { name: 'SIGTERM', graceMs: 2000 },
  { name: 'SIGBREAK', graceMs: 2000 },
] as const;

function cancelSignals() {
  const cancel = new AbortController();
  const killImminent = new AbortController();
  for (const { name, graceMs } of SIGNALS)
    process.on(name, () => {
      cancel.abort('the step was cancelled');
      setTimeout(() => killImminent.abort(), graceMs).unref();
    });
  return { cancel: cancel.signal, killImminent: killImminent.signal };
}
