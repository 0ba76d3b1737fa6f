import { agentService, type Client, openClient } from '../agent/client.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type CommandSection, explainFailure } from '../report/command-section.ts';
import { type Report, reportOf } from '../report/report.ts';
import type { ReportedError } from '../report/reported-error.ts';
import {
  MAX_RECORD_BYTES,
  type Observation,
  observe,
  RECORD_FULL,
  type Sample,
  type SampleRecord,
  STOP_REQUESTED,
  sampleTimeout,
} from '../stats/sample.ts';
import { readStats } from '../stats/stats.ts';
import { inlineCode, truncate } from '../text/escape.ts';
import { formatCount, formatDuration, formatTime } from '../text/format.ts';
import { lastLines, readLines } from '../text/lines.ts';
import type { Redact } from '../text/redact.ts';
import type { Context } from './context.ts';
import { followScript } from './follow-script.ts';
import { judgeRecord } from './judge-record.ts';
import { FIRST_RETRIES, readJudgeableStats, readStatsWithRetries } from './measure.ts';

// A service with E2B's process service also has E2B's path, so this is not an input.
const STATS_PATH = '/metrics';

/**
 * Runs a script in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError if the gate cannot be judged; then nothing has run
 */
export async function run(inputs: Inputs<'run'>, context: Context): Promise<Report> {
  const { cancel, now } = context;
  noteSandboxEnd(inputs, context);
  const service = agentService({ ...inputs, timeout: sampleTimeout(inputs) });
  await using client = openClient(service, context);
  await readFirstStats(inputs, client, context);
  const from = now();
  const ended = new AbortController();
  let to = from;
  const end = () => {
    to = now();
    ended.abort();
  };
  const [script, record] = await Promise.all([
    runScript(inputs, context).finally(end),
    takeSamplesUntil(AbortSignal.any([ended.signal, cancel]), inputs, client, context),
  ]);
  const { command, isStarted, errors, warnings } = script;
  const seen = isStarted ? record : { ...record, samples: [] };
  const judged = judgeRecord(inputs, seen, { from, to });
  const isJudged = isStarted && !cancel.aborted;
  return reportOf('run', inputs, cancel, {
    name: inputs.name,
    command,
    measured: judged.measured,
    errors: [...errors, ...(isJudged ? judged.errors : [])],
    warnings: [...warnings, ...(isJudged ? judged.warnings : [])],
  });
}

function noteSandboxEnd(
  { sandboxId, maxDuration }: Inputs<'run'>,
  { now, sandboxes, log }: Context,
): void {
  const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
  if (endsAt === undefined || now() + maxDuration <= endsAt) return;
  log.line(
    `The sandbox ends at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) is over. To run longer, raise its lifetime.`,
  );
}

/** Starts the period that the next CPU figure covers, and proves that `fail-if` can be judged. */
async function readFirstStats(
  inputs: Inputs<'run'>,
  client: Client,
  context: Context,
): Promise<void> {
  const request = { ...inputs, statsPath: STATS_PATH, retries: FIRST_RETRIES };
  if (inputs.failIf.length > 0) await readJudgeableStats(request, client, context);
  else await readStatsWithRetries(request, client, context);
}

// Over a shorter period, the CPU figure would mostly measure the request itself.
const LAST_SAMPLE_DELAY_MS = 200;

/** Takes a sample after each interval until `ended` aborts, or one just after it. */
async function takeSamplesUntil(
  ended: AbortSignal,
  { sampleInterval }: Inputs<'run'>,
  client: Client,
  { cancel, now, sleep }: Context,
): Promise<SampleRecord> {
  const take = () => observe(() => readStats(client, STATS_PATH), now);
  const samples: Sample[] = [];
  const failures: string[] = [];
  let bytes = 0;
  // After the end, a sample may show a machine that is idle again, so it only counts if it is alone.
  // As for a monitor, a single failure is normal.
  const isLateWanted = () => samples.length === 0 && failures.length <= 1;
  const add = (seen: Observation) => {
    if ('failure' in seen) failures.push(seen.failure);
    else samples.push(seen);
    bytes += ('failure' in seen ? seen.failure : seen.json).length;
  };
  while (bytes < MAX_RECORD_BYTES && (await sleep(sampleInterval, ended))) {
    const seen = await take();
    if (!ended.aborted || isLateWanted()) add(seen);
  }
  const end = ended.aborted ? STOP_REQUESTED : RECORD_FULL;
  if (isLateWanted() && (await sleep(LAST_SAMPLE_DELAY_MS, cancel))) add(await take());
  return { samples, failures, end };
}

interface ScriptResult {
  readonly command: CommandSection;
  readonly isStarted: boolean;
  readonly errors: readonly ReportedError[];
  readonly warnings: readonly string[];
}

// The agent sends a keepalive every 10 s.
const MIN_TIMEOUT_MS = 30_000;

const MAX_LAST_LINES = 20;

/** Runs the script until it exits, `max-duration` is over or the job is cancelled. */
async function runScript(inputs: Inputs<'run'>, context: Context): Promise<ScriptResult> {
  const { sandboxId, baseUrl, maxDuration, timeout } = inputs;
  const { cancel, clock, redact, log } = context;
  const title = titleOf(inputs, redact);
  const place = `sandbox ${sandboxId} at ${baseUrl}`;
  log.line(`Running ${inlineCode(title)} in ${place}`);
  let last = '';
  const output = readLines(text => {
    log.output(text);
    last = lastLines(last + lastLines(text, MAX_LAST_LINES), MAX_LAST_LINES);
  });
  const service = agentService({ ...inputs, timeout: Math.max(timeout, MIN_TIMEOUT_MS) });
  const tooLong = AbortSignal.timeout(maxDuration);
  const startedAt = clock();
  const stopScript = AbortSignal.any([cancel, tooLong]);
  const options = { ...inputs, stopScript, onOutput: output.write };
  const { end, reconnects } = await followScript(service, options, context);
  output.end();
  const { exitCode, status = '' } = end.kind === 'ended' ? end : {};
  const command = {
    title,
    exitCode,
    status,
    durationMs: end.kind === 'not-started' ? 0 : Math.round(clock() - startedAt),
    lastLines: last === '' ? [] : shorten(redact(last)),
  };
  const stoppedBy = tooLong.aborted ? 'max-duration' : undefined;
  return {
    command,
    isStarted: end.kind !== 'not-started',
    errors: explainFailure(command, end, cancel.aborted ? 'cancellation' : stoppedBy),
    warnings: reconnects === 0 ? [] : [reconnectWarning(reconnects)],
  };
}

// If a line was cut while it was read, it may end with half a secret.
const MAX_LAST_LINE = 1000;

function shorten(lines: string): string[] {
  const all = lines.trimEnd().split('\n');
  return all.map(line => truncate(line, MAX_LAST_LINE));
}

/** Returns the step's name, or the first line of its script, redacted before it is truncated. */
function titleOf({ name, run: script }: Inputs<'run'>, redact: Redact): string {
  if (name !== '') return redact(name);
  const [first = '', ...others] = script.split('\n');
  return redact(others.length === 0 ? first : `${first} …`);
}

function reconnectWarning(count: number): string {
  return `The connection was lost ${formatCount(count, 'time')}, so output of the command may be missing.`;
}
