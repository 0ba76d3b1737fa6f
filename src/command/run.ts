import { openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judgeRecord, type MonitoredStats } from '../stats/gaps.ts';
import { readStatsWithRetries } from '../stats/sample.ts';
import { sampleTimeout } from '../stats/samples.ts';
import { FIRST_SAMPLE_RETRIES, readJudgeableStats } from '../stats/stats.ts';
import { formatDuration, formatTime } from '../text/format.ts';
import { type CommandResult, runCommand } from './command.ts';
import { commandToSend } from './follow.ts';
import { STATS_PATH, sampleCommand } from './sample-command.ts';
import { lookAtPrograms, type TopPrograms, watchMemory } from './top-programs.ts';

export interface WatchedCommand extends CommandResult {
  /** Undefined if the memory was never short, or the programs could not be seen. */
  readonly topPrograms: TopPrograms | undefined;
}

/**
 * Runs a command in the sandbox, takes samples meanwhile, and judges them.
 * @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged
 */
export async function run(
  inputs: Inputs<'run'>,
  context: Context,
): Promise<{ readonly command: WatchedCommand; readonly stats: MonitoredStats }> {
  const { cancel, now } = context;
  const sent = commandToSend(inputs);
  const maxDuration = inputs.maxDuration ?? defaultMaxDuration(inputs, context);
  if (inputs.maxDuration !== undefined) logSandboxEnd(inputs.sandboxId, maxDuration, context);
  const hasConditions = inputs.failIf.length + inputs.warnIf.length > 0;
  // Without conditions, samples are only shown, so the step does not wait for them.
  const patience = new AbortController();
  const sampling = hasConditions
    ? context
    : { ...context, cancel: AbortSignal.any([cancel, patience.signal]) };
  await using client = openAgent(inputs, context);
  // A CPU figure covers the time since the previous request, so read the stats once before the
  // command starts, and drop them.
  const timeout = sampleTimeout(inputs);
  const first = { ...inputs, timeout, statsPath: STATS_PATH, retries: FIRST_SAMPLE_RETRIES };
  if (inputs.failIf.length > 0) await readJudgeableStats(first, client, context);
  else if (hasConditions) await readStatsWithRetries(first, client, context);
  else void readStatsWithRetries({ ...first, retries: 0 }, client, sampling);
  const from = now();
  const ended = new AbortController();
  const limits = { timeout, signal: AbortSignal.any([cancel, ended.signal]) };
  const { onSample, topPrograms } = watchMemory([...inputs.failIf, ...inputs.warnIf], () =>
    lookAtPrograms({ client, username: inputs.username, limits }, now),
  );
  const [{ endedAt: to, ...seen }, record] = await Promise.all([
    runCommand(sent, { ...inputs, maxDuration }, client, context).finally(() => {
      ended.abort();
      setTimeout(() => patience.abort(), PATIENCE_MS).unref();
    }),
    sampleCommand(ended.signal, inputs, client, sampling, onSample),
  ]);
  const command = { ...seen, topPrograms: topPrograms() };
  const isStarted = command.end.kind !== 'not-started';
  const judged = isStarted ? record : { ...record, attempts: [] };
  const stats = judgeRecord(inputs, judged, { from, to }, { cancelled: cancel.aborted });
  // A service without stats is only a problem if there are conditions.
  if (isStarted && (hasConditions || stats.samples.length > 0)) return { command, stats };
  return {
    command,
    stats: { ...stats, monitored: { ...stats.monitored, gaps: [], failures: [] } },
  };
}

// Enough for a sample after a command that was too short for one before.
const PATIENCE_MS = 500;

const HOUR_MS = 3_600_000;

/** Returns the life that the sandbox has left, less 10 s, but at least 1 m, if that is known. */
export function defaultMaxDuration(
  { sandboxId }: Pick<Inputs<'run'>, 'sandboxId'>,
  { now, sandboxes }: Pick<Context, 'now' | 'sandboxes'>,
): number {
  const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
  return endsAt === undefined ? HOUR_MS : Math.max(60_000, endsAt - now() - 10_000);
}

function logSandboxEnd(
  sandboxId: string,
  maxDuration: number,
  { now, sandboxes, log }: Context,
): void {
  const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
  if (endsAt === undefined || now() + maxDuration <= endsAt) return;
  log.line(
    `The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) is over. To run longer, raise its lifetime.`,
  );
}
