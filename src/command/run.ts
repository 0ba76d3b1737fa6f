import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { readStatsWithRetries, sampleTimeout } from '../stats/sampling.ts';
import {
  FIRST_SAMPLE_RETRIES,
  judgeRecord,
  readJudgeableStats,
  type StatsResult,
  withoutStats,
} from '../stats/stats.ts';
import { inlineCode } from '../text/escape.ts';
import { formatDuration, formatTime } from '../text/format.ts';
import { commandToSend, type FollowedCommand, followCommand } from './follow.ts';
import { keepLastLines } from './output.ts';
import { readOutputs, type ScriptOutputs } from './outputs.ts';
import type { ProcessOptions } from './process.ts';
import { STATS_PATH, sampleWhileRunning } from './sample-while-running.ts';
import { lookAtPrograms, type TopPrograms, watchMemory } from './top-programs.ts';
import type { Trailer } from './trailer.ts';

export interface CommandResult
  extends Pick<FollowedCommand, 'end' | 'reconnects'>,
    Pick<Trailer, 'oomKills' | 'failed'> {
  /** The first line of the command that is no comment. */
  readonly title: string;
  /** From the start to the end; 0 if the command was not started. */
  readonly durationMs: number;
  /** Up to 40. */
  readonly lastLines: readonly string[];
  readonly outputs: ScriptOutputs;
  /** Undefined if the memory was never short, or the programs could not be seen. */
  readonly topPrograms: TopPrograms | undefined;
}

/** @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged */
export async function run(
  inputs: Inputs<'run'>,
  context: Context,
): Promise<{ readonly command: CommandResult; readonly stats: StatsResult }> {
  const { cancel, now } = context;
  const { failIf, warnIf, username } = inputs;
  const conditions = [...failIf, ...warnIf];
  const toSend = commandToSend(inputs);
  const maxDuration = maxDurationOf(inputs, context);
  await using client = openAgent(inputs, context);
  // A CPU figure covers the time since the previous request, so read the stats once before the
  // command starts, and drop them. Only `fail-if` is worth a wait.
  const timeout = sampleTimeout(inputs);
  const statsRequest = { ...inputs, timeout, statsPath: STATS_PATH };
  if (failIf.length > 0)
    await readJudgeableStats({ ...statsRequest, retries: FIRST_SAMPLE_RETRIES }, client, context);
  const from = now();
  const ended = new AbortController();
  const untilEnd = { ...context, cancel: AbortSignal.any([cancel, ended.signal]) };
  const helper = { client, username, limits: { timeout, signal: untilEnd.cancel } };
  const memory = watchMemory(conditions, () => lookAtPrograms(helper, now));
  // With `fail-if`, the stats were read above. Without it, they must not delay the command.
  const openCpuWindow = async () => {
    if (failIf.length === 0)
      await readStatsWithRetries({ ...statsRequest, retries: 0 }, client, untilEnd);
  };
  const [{ endedAt: to, ...followed }, record] = await Promise.all([
    runCommand(toSend, { ...inputs, maxDuration }, client, context).finally(() => ended.abort()),
    sampleWhileRunning(ended.signal, inputs, client, context, memory.onSample),
    openCpuWindow(),
  ]);
  const isStarted = followed.end.kind !== 'not-started';
  const durationMs = isStarted ? to - from : 0;
  const command = { ...followed, durationMs, topPrograms: memory.topPrograms() };
  const hasSamples = record.observations.some(({ kind }) => kind === 'sample');
  // A service without stats is only a problem if there are conditions.
  const isJudged = isStarted && (hasSamples || conditions.length > 0);
  const stats = isJudged
    ? judgeRecord(inputs, record, { from, to }, { cancelled: cancel.aborted })
    : withoutStats(inputs);
  return { command, stats };
}

/** Runs the command, and logs it and its output. */
async function runCommand(
  toSend: ProcessOptions,
  inputs: Inputs<'run'> & { readonly maxDuration: number },
  client: Client,
  context: Context,
) {
  const { redact, log } = context;
  const title = redact(titleOf(inputs.run));
  log.line(`Running ${inlineCode(title)} in sandbox ${inputs.sandboxId} at ${inputs.baseUrl}`);
  const output = keepLastLines(context);
  const followed = await followCommand(toSend, inputs, client, context, output);
  const { trailer, background, ...others } = followed;
  const lastLines = output.lastLines();
  const isExpected = others.end.kind === 'exited' && inputs.run.includes('GITHUB_OUTPUT');
  for (const bytes of background) output.write(bytes);
  output.end();
  return {
    ...others,
    title,
    lastLines,
    outputs: readOutputs(trailer, isExpected, redact),
    oomKills: trailer.oomKills,
    failed: trailer.failed,
  };
}

function titleOf(run: string): string {
  const [first = run, ...others] = run.split('\n').filter(line => !/^\s*(#|$)/.test(line));
  return others.length === 0 ? first.trim() : `${first.trim()} …`;
}

const HOUR_MS = 3_600_000;
const MAX_MS = 24 * HOUR_MS;

/**
 * Returns milliseconds: `max-duration`, or what is left of the sandbox's life, less 10 s, at least
 * 1 m and at most 24 h, or 1 h if its end is unknown.
 */
export function maxDurationOf(
  { sandboxId, maxDuration }: Pick<Inputs<'run'>, 'sandboxId' | 'maxDuration'>,
  { now, sandboxes, log }: Pick<Context, 'now' | 'sandboxes' | 'log'>,
): number {
  const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
  if (endsAt === undefined) return maxDuration ?? HOUR_MS;
  const leftMs = endsAt - now();
  if (maxDuration === undefined) return Math.min(Math.max(60_000, leftMs - 10_000), MAX_MS);
  if (maxDuration > leftMs)
    log.line(
      `The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) runs out. To run longer, raise its lifetime.`,
    );
  return maxDuration;
}
