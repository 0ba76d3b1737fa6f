import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { explainFailure } from '../report/command-section.ts';
import { type Report, reportOf } from '../report/report.ts';
import { readStats } from '../stats/sample.ts';
import {
  ENDED_AS_PLANNED,
  type SampleOrFailure,
  type SampleRecord,
  sampleTimeout,
  takeSamples,
  toRecord,
  trySample,
} from '../stats/samples.ts';
import { inlineCode, removeColors, truncate } from '../text/escape.ts';
import { formatCount, formatDuration, formatTime } from '../text/format.ts';
import { lineSplitter } from '../text/lines.ts';
import { followScript } from './follow-script.ts';
import { judgeRecord } from './judge-record.ts';
import { FIRST_SAMPLE_RETRIES, readJudgeableStats, readStatsWithRetries } from './measure.ts';

// Not an input: a service that can run commands serves its stats, if any, at E2B's path.
const STATS_PATH = '/metrics';

/**
 * Runs a script in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged
 */
export async function run(inputs: Inputs<'run'>, context: Context): Promise<Report> {
  const { cancel, now } = context;
  logSandboxEnd(inputs, context);
  await using client = openAgent(inputs, context);
  // A CPU figure covers the time since the previous request, so read the stats once before the
  // script starts, and drop them.
  const timeout = sampleTimeout(inputs);
  const first = { ...inputs, timeout, statsPath: STATS_PATH, retries: FIRST_SAMPLE_RETRIES };
  if (inputs.failIf.length > 0) await readJudgeableStats(first, client, context);
  else await readStatsWithRetries(first, client, context);
  const from = now();
  const ended = new AbortController();
  const [script, record] = await Promise.all([
    runScript(inputs, client, context).finally(() => ended.abort(ENDED_AS_PLANNED)),
    sampleUntil(ended.signal, inputs, client, context),
  ]);
  const { command, isStarted, endedAt: to, errors, warnings } = script;
  const recordToJudge = isStarted ? record : { ...record, samples: [] };
  const { measured, ...gaps } = judgeRecord(inputs, recordToJudge, { from, to });
  const hasConditions = inputs.failIf.length + inputs.warnIf.length > 0;
  // A service without stats is only a problem if there are conditions.
  const isMeasured = hasConditions || record.samples.length > 0;
  const isJudged = isStarted && isMeasured && !cancel.aborted;
  return reportOf('run', inputs, cancel, {
    name: inputs.name,
    command,
    measured,
    errors: isJudged ? [...errors, ...gaps.errors] : errors,
    warnings: isJudged ? [...warnings, ...gaps.warnings] : warnings,
  });
}

function logSandboxEnd(
  { sandboxId, maxDuration }: Inputs<'run'>,
  { now, sandboxes, log }: Context,
): void {
  const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
  if (endsAt === undefined || now() + maxDuration <= endsAt) return;
  log.line(
    `The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) is over. To run longer, raise its lifetime.`,
  );
}

// Over a shorter period, the CPU figure would mostly measure the request itself.
const LAST_SAMPLE_DELAY_MS = 200;

async function sampleUntil(
  ended: AbortSignal,
  inputs: Inputs<'run'>,
  client: Client,
  { cancel, now, sleep }: Context,
): Promise<SampleRecord> {
  const limits = { signal: cancel, timeout: sampleTimeout(inputs) };
  const take = () => trySample(() => readStats(client, STATS_PATH, limits), now);
  const observations: SampleOrFailure[] = [];
  const needsLastSample = () => {
    const hasSample = observations.some(each => 'json' in each);
    // After two failures, the service probably has no stats.
    const hasFailedOften = observations.length > 1;
    return !hasSample && !hasFailedOften;
  };
  const add = (observation: SampleOrFailure) => {
    // After the end, the machine may be idle again, so only add a sample if there is no other.
    if (!ended.aborted || needsLastSample()) observations.push(observation);
  };
  const sampling = { intervalMs: inputs.sampleInterval, sleep, stop: ended, withLast: false };
  const endReason = await takeSamples(take, add, sampling);
  if (needsLastSample() && (await sleep(LAST_SAMPLE_DELAY_MS, cancel)))
    observations.push(await take());
  return toRecord(observations, endReason);
}

const MAX_LAST_LINES = 20;

// Far below 64 KiB, where lineSplitter() may cut a secret in half before it is redacted.
const MAX_LAST_LINE = 1000;

async function runScript(inputs: Inputs<'run'>, client: Client, context: Context) {
  const { sandboxId, baseUrl, maxDuration } = inputs;
  const { cancel, clock, now, redact, log } = context;
  const title = redact(inputs.name || inputs.run.replace(/\n.*/s, ' …'));
  log.line(`Running ${inlineCode(title)} in sandbox ${sandboxId} at ${baseUrl}`);
  let last = '';
  const output = lineSplitter(text => {
    log.output(text);
    // The text ends in \n, so the last piece is empty.
    last = `${last}${text}`
      .split('\n')
      .slice(-MAX_LAST_LINES - 1)
      .join('\n');
  });
  const maxDurationSignal = AbortSignal.timeout(maxDuration);
  const stopScript = AbortSignal.any([cancel, maxDurationSignal]);
  const startedAt = clock();
  const { end, reconnects } = await followScript(inputs, client, context, stopScript, output.write);
  output.end();
  // Removing a color may join two halves of a secret, so redact afterwards.
  const text = redact(removeColors(last)).trimEnd();
  const lines = text === '' ? [] : text.split('\n');
  const isStarted = end.kind !== 'not-started';
  const command = {
    title,
    exitCode: end.kind === 'ended' ? end.exitCode : undefined,
    status: end.kind === 'ended' ? end.status : '',
    durationMs: isStarted ? Math.round(clock() - startedAt) : 0,
    lastLines: lines.map(line => truncate(line, MAX_LAST_LINE)),
  };
  const stoppedBy = maxDurationSignal.aborted ? 'max-duration' : undefined;
  const errors = explainFailure(command, end, cancel.aborted ? 'cancellation' : stoppedBy);
  const lost = `The connection was lost ${formatCount(reconnects, 'time')}, so output of the command may be missing.`;
  return {
    command: { ...command, isExplained: errors.length > 0 },
    isStarted,
    endedAt: now(),
    errors,
    warnings: reconnects === 0 ? [] : [lost],
  };
}
