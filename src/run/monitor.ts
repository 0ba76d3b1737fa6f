import { gateOf, metricsOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/table.ts';
import { hasEnded, type MonitorRecord, readRecord } from '../monitor/record.ts';
import { ASKED, GONE } from '../monitor/sampler.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { firstOf } from '../text/cut.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount, formatTime } from '../text/units.ts';
import type { Surroundings } from './surroundings.ts';

// The sampling process gives its last reading 5 s; a little more, and it is gone.
const PATIENCE_MS = 8000;
const LOOK_MS = 50;

/**
 * Waits for the end of a monitor that was asked for it, and judges what it recorded. Where that does not cover the whole
 * job, nobody knows what the sandbox used meanwhile: with conditions of `fail-if`, that fails.
 */
export async function endMonitor(
  inputs: Inputs<'monitor-end'>,
  directory: string,
  surroundings: Surroundings,
): Promise<Report> {
  const { sandboxId, baseUrl, failIf, warnIf, sampleInterval } = inputs;
  const jobEnd = surroundings.now();
  await hasEndedIn(directory, surroundings);
  const record = await readRecord(directory, metricsOf(failIf, warnIf));
  if (surroundings.debug !== undefined) show(record, surroundings.debug);
  const { samples, stats } = record;
  const unseen = unseenTimes(record, jobEnd, sampleInterval * UNSEEN_INTERVALS);
  const figures = samples.map(sample => sample.figures);
  const isFatal = failIf.length > 0;
  return {
    ...EMPTY_REPORT,
    task: 'monitor',
    sandboxId,
    baseUrl,
    samples,
    stats,
    gate: gateOf(inputs, figures, unseen.length > 0),
    errors: [...nothingSampled(record), ...(isFatal ? unseen : []).map(message => ({ message, details: [] }))],
    warnings: [...record.warnings, ...failedReadings(record), ...(isFatal ? [] : unseen)],
    cancelled: surroundings.cancel.aborted,
  };
}

/** Waits until the monitor has ended, or had long had to. */
async function hasEndedIn(directory: string, { sleep, cancel, clock }: Surroundings): Promise<void> {
  const patience = clock() + PATIENCE_MS;
  let goesOn = true;
  while (goesOn && !hasEnded(directory) && clock() < patience) goesOn = await sleep(LOOK_MS, cancel);
}

// A reading that is late by less is seen: runners stall, and so do networks.
const UNSEEN_INTERVALS = 10;
const MAX_SPANS = 10;

/** A sentence for each time in which nothing was seen: longer than `longestMs`, or from the monitor's end to that of the job. */
function unseenTimes({ start, samples, end }: MonitorRecord, jobEnd: number, longestMs: number): string[] {
  // Of a sandbox that was never seen, more is said.
  if (samples.length === 0) return [];
  const seen = [start ?? 0, ...samples.map(({ at }) => at)];
  const isWhole = end?.what === ASKED;
  const why = end === undefined ? 'something else ended the monitor' : `the monitor had ended: ${end.what}`;
  const spans = seen.flatMap((from, index): [number, number, string][] => {
    const to = seen[index + 1] ?? Math.max(jobEnd, from);
    if (index === seen.length - 1 && !isWhole) return [[from, to, `, since ${why}`]];
    // A clock that was put back hides as much as one that went on.
    return Math.abs(to - from) > longestMs ? [[from, to, '']] : [];
  });
  return firstOf(spans, MAX_SPANS, {
    show: ([from, to, cause]) => `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${cause}.`,
    more: rest => `And ${formatCount(rest, 'more time')}.`,
  });
}

function failedReadings({ samples, gaps }: MonitorRecord): string[] {
  const last = samples.at(-1)?.at ?? 0;
  // A job may delete its sandbox at its end. Where that was long before, there is a time that was not seen.
  const [first, ...others] = gaps.filter(({ at, what }) => what !== GONE || at < last);
  if (first === undefined || samples.length === 0) return [];
  return [`${formatCount(others.length + 1, 'reading')} failed, the first: ${first.what}`];
}

function nothingSampled({ samples, gaps }: MonitorRecord): ReportedError[] {
  if (samples.length > 0) return [];
  return [{ message: 'The sandbox was never sampled.', details: gaps.slice(-1).map(({ what }) => what) }];
}

function show({ samples, gaps, end }: MonitorRecord, debug: Debug): void {
  debug('record', `Monitor: ${formatCount(samples.length, 'sample')}, ${formatCount(gaps.length, 'failed reading')}`);
  for (const { at, what } of gaps) debug('failed reading', `- ${new Date(at).toISOString()}: ${what}`);
  const when = end === undefined ? 'an unknown time' : `${new Date(end.at).toISOString()}: ${end.what}`;
  debug('record', `Monitor: ended at ${when}`);
}
