import type { Client } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { AgentError } from '../agent/failure.ts';
import { type Condition, describeJudgement, type Judgement, judge } from '../gate/judge.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatDuration } from '../text/format.ts';
import { readStatsWithRetries, type Stats } from './sample.ts';

const WAIT_LOG_INTERVAL_MS = 15_000;

/** Waits until one sample meets `wait-until`, or the step is cancelled. @throws AgentError if late */
export async function waitForSandbox(
  inputs: Inputs<'stats'>,
  client: Client,
  context: Context,
): Promise<void> {
  const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
  const { cancel, clock, sleep, log } = context;
  if (conditions === undefined) return;
  log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
  const startedAt = clock();
  let nextLogMs = WAIT_LOG_INTERVAL_MS;
  for (;;) {
    // Do not retry: this loop already repeats the request.
    const outcome = await readStatsWithRetries({ ...inputs, retries: 0 }, client, context);
    if (cancel.aborted) return;
    const waitedMs = clock() - startedAt;
    const waited = formatDuration(waitedMs);
    const error = outcome.status === 'failed' ? outcome.error : undefined;
    if (error?.isRetryable === false) throw error;
    const why =
      outcome.status === 'failed'
        ? outcome.error.message
        : judgeNow('wait-until', conditions, outcome.value);
    if (why === '') {
      log.line(`The sandbox was ready after ${waited}`);
      return;
    }
    const leftMs = timeoutMs - waitedMs;
    if (leftMs <= 0) {
      // The hint of a lost connection advises timeout and retries, which do not lengthen the wait.
      const isSlow = error === undefined || error.kind === 'connection';
      const hint = isSlow ? 'If the sandbox needs longer, raise wait-timeout.' : error.hint;
      throw new AgentError('busy', `The sandbox was not ready within ${waited}. ${why}`, { hint });
    }
    if (waitedMs >= nextLogMs) {
      nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
      log.line(`Waited ${waited}: ${why}`);
    }
    await sleep(Math.min(sampleInterval, leftMs), cancel);
  }
}

/** Describes the conditions that are false in one sample. @throws InputError if any is unknown */
export function judgeNow(
  input: 'fail-if' | 'wait-until',
  conditions: readonly Condition[],
  { figures }: Stats,
): string {
  const judgements = conditions.map(each => judge(each, [{ at: 0, figures }]));
  const describe = (result: Judgement['result']) =>
    judgements
      .filter(each => each.result === result)
      .map(describeJudgement)
      .join('; ');
  const unknown = describe('unknown');
  if (unknown !== '') throw inputError(input, `${unknown}.`);
  return describe('false');
}
