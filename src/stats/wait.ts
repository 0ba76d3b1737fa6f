import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { type AgentError, type FailureInfo, failureInfoOf } from '../agent/failure.ts';
import { type Condition, describeJudgement, type Judgement, judge } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import { readStatsWithRetries, type Stats } from './sample.ts';

/** Why there are no stats, or not all of them. */
export type StatsProblem =
  | {
      readonly kind: 'not-ready';
      readonly waitedMs: number;
      readonly unmet: readonly Judgement[];
      /** Why the last request failed, if it did. */
      readonly error: FailureInfo | undefined;
    }
  | { readonly kind: 'not-read'; readonly error: FailureInfo }
  | {
      readonly kind: 'not-judgeable';
      readonly input: 'fail-if' | 'wait-until';
      readonly unjudged: readonly Judgement[];
    };

const WAIT_LOG_INTERVAL_MS = 15_000;

/**
 * Waits until one sample meets `wait-until`, if that is set. Returns a problem if it takes too long
 * or a failure cannot be retried, or a sample lacks a metric, unless the step is cancelled.
 */
export async function waitForSandbox(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<StatsProblem | undefined> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
  const { cancel, clock, sleep, log } = context;
  if (conditions === undefined || cancel.aborted) return undefined;
  log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
  const startedAt = clock();
  let nextLogMs = WAIT_LOG_INTERVAL_MS;
  let unmet: readonly Judgement[] = [];
  for (;;) {
    // Do not retry: this loop already repeats the request.
    const outcome = await readStatsWithRetries({ ...inputs, retries: 0 }, client, context);
    const waitedMs = clock() - startedAt;
    const error = outcome.status === 'failed' ? outcome.error : undefined;
    if (outcome.status === 'done') unmet = findUnmet(conditions, outcome.value);
    const unjudged = unmet.filter(({ result }) => result === 'unknown');
    if (unjudged.length > 0) return { kind: 'not-judgeable', input: 'wait-until', unjudged };
    if (error === undefined && unmet.length === 0) {
      log.line(`The sandbox was ready after ${formatDuration(waitedMs)}`);
      return undefined;
    }
    const leftMs = timeoutMs - waitedMs;
    const isOver = leftMs <= 0 || error?.isRetryable === false;
    if (!isOver) await sleep(Math.min(sampleInterval, leftMs), cancel);
    if (cancel.aborted) return undefined;
    if (error?.isRetryable === false) return { kind: 'not-read', error: failureInfoOf(error) };
    if (isOver) return { kind: 'not-ready', waitedMs, unmet, error: error && failureInfoOf(error) };
    if (waitedMs < nextLogMs) continue;
    nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
    log.line(`Waited ${formatDuration(waitedMs)}: ${whyNotReady(unmet, error)}`);
  }
}

function whyNotReady(unmet: readonly Judgement[], error: AgentError | undefined): string {
  return [...unmet.map(describeJudgement), error?.message ?? []].flat().join('; ');
}

/** Returns the conditions that are false in this response, or cannot be judged in it. */
export function findUnmet(conditions: readonly Condition[], { figures }: Stats): Judgement[] {
  const sample = { at: 0, figures };
  return conditions.map(each => judge(each, [sample])).filter(({ result }) => result !== 'true');
}
