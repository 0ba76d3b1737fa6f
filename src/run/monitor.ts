import { gateOf, metricsOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { hasEnded, requestEnd } from '../monitor/directory.ts';
import { type MonitorRecord, readRecord } from '../monitor/record.ts';
import { ASKED, GONE } from '../monitor/sampler.ts';
import { EMPTY_REPORT, type Report, type ReportedError, reportUnseen } from '../report/report.ts';
import { describeUnseen, findStaleTimes, type UnseenTime } from '../stats/unseen.ts';
import { abbreviate, formatCount } from '../text/format.ts';
import type { Context } from './context.ts';

/**
 * Ends a monitor, and judges its record. If that does not cover the whole job, `fail-if` fails:
 * nobody knows what the sandbox used meanwhile.
 */
export async function endMonitor(
  inputs: Inputs<'monitor-end'>,
  directory: string,
  context: Context,
): Promise<Report> {
  const { name, sandboxId, baseUrl, failIf, warnIf, sampleInterval } = inputs;
  const jobEnd = context.now();
  requestEnd(directory);
  await waitForEnd(directory, context);
  const record = await readRecord(directory, metricsOf(failIf, warnIf));
  writeDebug(record, context);
  const { samples, stats } = record;
  const unseen = findUnseenTimes(record, jobEnd, sampleInterval * UNSEEN_INTERVALS);
  const unseenLines = abbreviate(unseen, MAX_UNSEEN, {
    show: describeUnseen,
    more: rest => `And ${formatCount(rest, 'more time')}.`,
  });
  const figures = samples.map(sample => sample.figures);
  const { errors, warnings } = reportUnseen(unseenLines, inputs);
  return {
    ...EMPTY_REPORT,
    task: 'monitor',
    name,
    sandboxId,
    baseUrl,
    samples,
    stats,
    gate: gateOf(inputs, figures, unseen.length > 0),
    errors: [...findRecordErrors(record), ...errors],
    warnings: [...record.warnings, ...describeGaps(record), ...warnings],
    cancelled: context.cancel.aborted,
  };
}

// The monitor gives its last sample 5 s.
const PATIENCE_MS = 8000;
const CHECK_MS = 50;

async function waitForEnd(directory: string, { sleep, cancel, clock }: Context): Promise<void> {
  const deadline = clock() + PATIENCE_MS;
  let isWaiting = true;
  while (isWaiting && !hasEnded(directory) && clock() < deadline)
    isWaiting = await sleep(CHECK_MS, cancel);
}

// Runners stall, and so do networks: a sample may be this late.
const UNSEEN_INTERVALS = 10;
const MAX_UNSEEN = 10;

/** Times without samples for longer than `longestMs`, with stale ones, or after the monitor. */
function findUnseenTimes(record: MonitorRecord, jobEnd: number, longestMs: number): UnseenTime[] {
  const { start, samples } = record;
  // If there are no samples at all, an error says more.
  if (samples.length === 0) return [];
  const times = [start ?? 0, ...samples.map(({ at }) => at)];
  const last = times.at(-1) ?? 0;
  const to = Math.max(jobEnd, last);
  const wasAsked = record.end?.what === ASKED;
  const gaps = times.flatMap((from, index) => {
    const next = times[index + 1] ?? to;
    // A clock that was put back hides as much as one that went on.
    return Math.abs(next - from) > longestMs ? [{ from, to: next, why: '' }] : [];
  });
  const beforeEnd = wasAsked ? gaps : gaps.filter(({ from }) => from !== last);
  const afterEnd = wasAsked ? [] : [{ from: last, to, why: describeEnd(record) }];
  return [...beforeEnd, ...findStaleTimes(samples), ...afterEnd];
}

function describeEnd({ end, crash }: MonitorRecord): string {
  if (end !== undefined) return `since the monitor had ended: ${end.what}`;
  if (crash !== undefined) return `since the monitor crashed: ${crash}`;
  return 'since something else ended the monitor';
}

function describeGaps({ samples, gaps }: MonitorRecord): string[] {
  const last = samples.at(-1)?.at ?? 0;
  // A job may delete its sandbox at its end. If it did so earlier, the sandbox was unseen.
  const [first, ...others] = gaps.filter(({ at, what }) => what !== GONE || at < last);
  if (first === undefined || samples.length === 0) return [];
  if (others.length === 0) return [`1 sample failed: ${first.what}`];
  return [`${formatCount(others.length + 1, 'sample')} failed, the first: ${first.what}`];
}

function findRecordErrors({ samples, gaps, crash, problem }: MonitorRecord): ReportedError[] {
  if (problem !== undefined)
    return [{ message: `The monitor's record cannot be used: ${problem}.`, details: [] }];
  if (samples.length > 0) return [];
  const crashed = crash === undefined ? [] : [`The monitor crashed: ${crash}`];
  const failed = gaps.slice(-1).map(({ what }) => what);
  return [{ message: 'The sandbox was never sampled.', details: [...failed, ...crashed] }];
}

const MAX_DEBUG_GAPS = 200;

function writeDebug({ samples, gaps, end }: MonitorRecord, { debug }: Context): void {
  const sampled = formatCount(samples.length, 'sample');
  debug(`Monitor: ${sampled}, ${formatCount(gaps.length, 'failed sample')}`);
  for (const { at, what } of gaps.slice(0, MAX_DEBUG_GAPS))
    debug(`- ${new Date(at).toISOString()}: ${what}`);
  const ending = end && `${new Date(end.at).toISOString()}: ${end.what}`;
  debug(`Monitor: ended at ${ending ?? 'an unknown time'}`);
}
