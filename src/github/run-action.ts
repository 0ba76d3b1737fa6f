import { USER_AGENT } from '../agent/client.ts';
import { now, sleep } from '../agent/retry.ts';
import { type JobSandbox, secretsIn, withJobSandbox } from '../inputs/connection.ts';
import type { Context } from '../inputs/context.ts';
import type { Connection, InputParsers, ParsedBy } from '../inputs/inputs.ts';
import { parseInputs } from '../inputs/parse-inputs.ts';
import { type RawInputs, rawValue } from '../inputs/parsers.ts';
import { redactTexts, type Sections } from '../report/render.ts';
import { linesOf, type Problem, problemOfError } from '../report/section.ts';
import { redactor } from '../text/escape.ts';
import { loadJobSandboxes, readInputs } from './job-state.ts';
import { openLog } from './log.ts';
import { publish } from './publish.ts';

interface Action<P extends InputParsers, R extends object> {
  /** The `task` of report.json. */
  readonly task: string;
  readonly inputs: P;
  /** Inputs that an earlier step has saved, in place of the step's own. */
  readonly savedInputs?: RawInputs;
  /** Resolves to undefined if a later step reports. */
  readonly run: (inputs: ParsedBy<P>, context: Context, raw: RawInputs) => Promise<R | undefined>;
  /** Renders the results. Without it, the step has no report, and a failure is only logged. */
  readonly sections?: (results: R, cancelled: boolean) => Sections;
  /** Begins the warning that a failure is logged as, instead of an error. */
  readonly failureWarning?: string;
  /** For a step that reports for an earlier one: the name and the sandbox of that. */
  readonly earlierStep?: (results: R) => EarlierStep;
}

interface EarlierStep {
  readonly name: string;
  readonly sandbox: Pick<Connection, 'sandboxId' | 'baseUrl'>;
}

interface StepOutcome<R> {
  readonly context: ReturnType<typeof openContext>;
  /** Empty if the inputs are invalid. */
  readonly connection: Partial<Connection>;
  readonly results?: R | undefined;
  /** Why the action threw. */
  readonly error?: Problem;
}

/** Runs an action, and reports its results or why it failed. */
export async function runAction<P extends InputParsers, R extends object>(
  action: Action<P, R>,
): Promise<void> {
  // Ignore EPIPE on stdout: outputs must still be written and sandboxes deleted.
  process.stdout.on('error', () => {});
  const raw = action.savedInputs ?? readInputs(action.inputs);
  const outcome = await tryAction(action, raw);
  if (action.sections === undefined) return logFailure(action, outcome);
  await reportOutcome(action, action.sections, raw, outcome);
  // Exit now: a cancelled search may still be walking a huge tree.
  if (outcome.context.cancel.aborted) process.stdout.write('', () => process.exit());
}

/** Parses the inputs and runs the action. */
async function tryAction<P extends InputParsers, R extends object>(
  { inputs: parsers, savedInputs, run }: Action<P, R>,
  raw: RawInputs,
): Promise<StepOutcome<R>> {
  const signals = listenForCancel();
  let context = openContext(raw, [], signals);
  let connection: Partial<Connection> = {};
  try {
    // Only actions that send requests to a sandbox have a port.
    const usesSandbox = 'port' in parsers;
    if (usesSandbox) context = openContext(raw, loadJobSandboxes(), signals);
    const { version, platform, arch } = process;
    context.log.debug(`${USER_AGENT} on Node.js ${version}, ${platform} ${arch}`);
    const filled = usesSandbox ? withJobSandbox(raw, context.sandboxes) : raw;
    const inputs = parseInputs(parsers, filled, savedInputs ? {} : process.env);
    connection = inputs;
    return { context, connection, results: await run(inputs, context, filled) };
  } catch (thrown) {
    return { context, connection, error: problemOfError(thrown) };
  }
}

function logFailure({ failureWarning }: { failureWarning?: string }, outcome: StepOutcome<object>) {
  const { error, context } = outcome;
  if (error === undefined) return;
  const lines = linesOf(error);
  if (failureWarning === undefined) context.log.fail(lines);
  else context.log.warning([failureWarning, ...lines].join(' '));
}

async function reportOutcome<R extends object>(
  { task, earlierStep }: Pick<Action<InputParsers, R>, 'task' | 'earlierStep'>,
  sections: (results: R, cancelled: boolean) => Sections,
  raw: RawInputs,
  { context, connection, ...outcome }: StepOutcome<R>,
): Promise<void> {
  const { log, redact } = context;
  const cancelled = context.cancel.aborted;
  const earlier = outcome.results && earlierStep?.(outcome.results);
  const { sandboxId: id = '', baseUrl = '' } = earlier?.sandbox ?? connection;
  const name = earlier?.name ?? rawValue(raw, 'name');
  const unredacted = { name, sandbox: { id, baseUrl }, error: undefined, ...outcome };
  const { results, error, ...subject } = redactTexts(unredacted, redact);
  if (results === undefined && error === undefined) return;
  const report = {
    task,
    ...subject,
    error,
    cancelled,
    // Nothing was judged, so a `fail-if` fails. Assume that an earlier step has one.
    gateNotJudged:
      error !== undefined && (earlierStep !== undefined || rawValue(raw, 'fail-if') !== ''),
    sections: results === undefined ? {} : sections(results, cancelled),
  };
  // A step with invalid inputs has a summary too, so read the raw value.
  await publish(report, log, { withSummary: !/^false$/i.test(rawValue(raw, 'summary')) });
}

function openContext(
  raw: RawInputs,
  sandboxes: readonly JobSandbox[],
  signals: ReturnType<typeof listenForCancel>,
) {
  const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
  return {
    workspace: process.env['GITHUB_WORKSPACE'] || process.cwd(),
    ...signals,
    now,
    sleep,
    random: Math.random,
    redact,
    sandboxes,
    log: openLog(redact),
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

function listenForCancel() {
  const cancel = new AbortController();
  const killImminent = new AbortController();
  for (const { name, graceMs } of SIGNALS)
    process.on(name, () => {
      cancel.abort('the step was cancelled');
      setTimeout(() => killImminent.abort(), graceMs).unref();
    });
  return { cancel: cancel.signal, killImminent: killImminent.signal };
}
