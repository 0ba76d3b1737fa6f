import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judgeRecord, type MonitoredStats } from '../stats/gaps.ts';
import { readStats, readStatsWithRetries } from '../stats/sample.ts';
import {
  type Attempt,
  type SampleRecord,
  sampleTimeout,
  takeSamples,
  trySample,
} from '../stats/samples.ts';
import { FIRST_SAMPLE_RETRIES, readJudgeableStats } from '../stats/stats.ts';
import { formatDuration, formatTime } from '../text/format.ts';
import { type CommandResult, runCommand } from './command.ts';
import { commandToSend } from './follow.ts';

// Not an input: a service that can run commands serves its stats, if any, at E2B's path.
const STATS_PATH = '/metrics';

/**
 * Runs a command in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged
 */
export async function run(
  inputs: Inputs<'run'>,
  context: Context,
): Promise<{ readonly command: CommandResult; readonly stats: MonitoredStats }> {
  const { cancel, now } = context;
  const sent = commandToSend(inputs);
  logSandboxEnd(inputs, context);
  await using client = openAgent(inputs, context);
  // A CPU figure covers the time since the previous request, so read the stats once before the
  // command starts, and drop them.
  const timeout = sampleTimeout(inputs);
  const first = { ...inputs, timeout, statsPath: STATS_PATH, retries: FIRST_SAMPLE_RETRIES };
  if (inputs.failIf.length > 0) await readJudgeableStats(first, client, context);
  else await readStatsWithRetries(first, client, context);
  const from = now();
  const ended = new AbortController();
  const [{ endedAt: to, ...command }, record] = await Promise.all([
    runCommand(sent, inputs, client, context).finally(() => ended.abort()),
    sampleUntil(ended.signal, inputs, client, context),
  ]);
  const isStarted = command.end.kind !== 'not-started';
  const stats = judgeRecord(inputs, isStarted ? record : { ...record, attempts: [] }, { from, to });
  const hasConditions = inputs.failIf.length + inputs.warnIf.length > 0;
  // A service without stats is only a problem if there are conditions.
  const isMonitored = isStarted && (hasConditions || stats.samples.length > 0);
  if (isMonitored && !cancel.aborted) return { command, stats };
  return {
    command,
    stats: { ...stats, monitored: { ...stats.monitored, gaps: [], failures: [] } },
  };
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
  const attempts: Attempt[] = [];
  let response = '';
  const take = () =>
    trySample(async () => {
      const stats = await readStats(client, STATS_PATH, limits);
      if (!ended.aborted || needsLastSample()) response = stats.response;
      return stats.figures;
    }, now);
  const needsLastSample = () => {
    const hasSample = attempts.some(({ kind }) => kind === 'sample');
    // After two failures, the service probably has no stats.
    return !hasSample && attempts.length < 2;
  };
  const record = (attempt: Attempt) => {
    // After the end, the machine may be idle again, so only add a sample if there is no other.
    if (!ended.aborted || needsLastSample()) attempts.push(attempt);
  };
  const end = await takeSamples(take, record, {
    intervalMs: inputs.sampleInterval,
    sleep,
    stop: ended,
    sampleOnStop: false,
  });
  if (needsLastSample() && (await sleep(LAST_SAMPLE_DELAY_MS, cancel))) attempts.push(await take());
  return { attempts, response, end };
}
