import { USER_AGENT } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { sleep } from '../agent/retry.ts';
import { secretsIn } from '../inputs/connection.ts';
import { withJobSandbox } from '../inputs/cross-input-rules.ts';
import {
  type EntryPoint,
  type Inputs,
  inputNames,
  parseInputs,
  type ReportingEntryPoint,
  taskOf,
} from '../inputs/inputs.ts';
import type { RawInputs } from '../inputs/parsers.ts';
import { fullReason, reasonLines, toReportedError } from '../report/reason.ts';
import { failedReport, type Report } from '../report/report.ts';
import { redactor } from '../text/redact.ts';
import { loadJobSandboxes } from './job-state.ts';
import { openLog } from './log.ts';
import { publish } from './publish.ts';
import { cancelSignals, readInputs, workspace } from './runner.ts';

type StepHandler<T extends EntryPoint, R> = (
  inputs: Inputs<T>,
  context: Context,
  raw: RawInputs,
) => Promise<R>;

/** Runs a step. If it fails, `failureWarning` begins a warning, which replaces the error. */
export async function runStep<T extends EntryPoint>(
  entry: T,
  handler: StepHandler<T, void>,
  inputs?: RawInputs,
  failureWarning?: string,
): Promise<void> {
  const { log, parseAndRun } = await openStep(entry, inputs);
  await parseAndRun(handler).catch((error: unknown) => {
    const lines = reasonLines(fullReason(toReportedError(error)));
    if (failureWarning === undefined) log.fail(lines);
    else log.warning([failureWarning, ...lines].join(' '));
  });
}

/** Runs a step and publishes its report, even if the handler throws. */
export async function runReportingStep<T extends ReportingEntryPoint>(
  entry: T,
  handler: StepHandler<T, Report | undefined>,
  inputs?: RawInputs,
): Promise<void> {
  const { raw, cancel, redact, log, parseAndRun } = await openStep(entry, inputs);
  const report = await parseAndRun(handler).catch((error: unknown) =>
    failedReport(taskOf(entry), toReportedError(error), {
      name: raw['name']?.trim() ?? '',
      cancelled: cancel.aborted,
      // Nothing was judged, so `fail-if` fails.
      hasFailIf: entry === 'monitor-stop' || Boolean(raw['fail-if']?.trim()),
    }),
  );
  if (report !== undefined) {
    // A step with invalid inputs has a summary too, so read the raw value.
    const withSummary = !/^\s*false\s*$/i.test(raw['summary'] ?? '');
    await publish(report, { log, redact, withSummary });
  }
  // Exit now: a cancelled search may still be walking a huge tree.
  if (cancel.aborted) process.stdout.write('', () => process.exit());
}

// Headers and variables may be secret, and URLs may contain passwords.
const UNLOGGED = ['headers', 'env', 'base-url', 'api-url'];

async function openStep<T extends EntryPoint>(entry: T, inputs: RawInputs | undefined) {
  // Ignore EPIPE on stdout: outputs must still be written and sandboxes deleted.
  process.stdout.on('error', () => {});
  const raw = inputs ?? readInputs(entry);
  const usesSandbox = inputNames(entry).includes('token');
  const loading = Promise.try(() => (usesSandbox ? loadJobSandboxes() : []));
  // The log needs the tokens to redact. If they cannot be loaded, `parseAndRun` reports why.
  const sandboxes = await loading.catch(() => []);
  const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
  const log = openLog(redact);
  log.debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
  const loggable = Object.entries(raw).filter(([name]) => !UNLOGGED.includes(name));
  log.debug(`Inputs: ${JSON.stringify(Object.fromEntries(loggable), undefined, 2)}`);
  const context = {
    workspace: workspace(),
    ...cancelSignals(),
    clock: () => performance.now(),
    now: Date.now,
    sleep,
    random: Math.random,
    redact,
    sandboxes,
    log,
  };
  async function parseAndRun<R>(handler: StepHandler<T, R>): Promise<R> {
    const resolved = usesSandbox ? withJobSandbox(raw, await loading) : raw;
    return handler(parseInputs(entry, resolved), context, resolved);
  }
  return { ...context, raw, parseAndRun };
}
