import { judgeGate } from '../gate/judge.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { ENDED_AS_PLANNED, type SampleRecord } from '../stats/samples.ts';
import { formatCount, formatTime } from '../text/format.ts';

/**
 * Judges a record between two times in Unix milliseconds. A gap is an error if there is a
 * `fail-if`, and a warning otherwise.
 */
export function judgeRecord(
  inputs: Pick<Inputs<'monitor'>, 'failIf' | 'warnIf' | 'sampleInterval'>,
  record: SampleRecord,
  { from, to }: Readonly<Record<'from' | 'to', number>>,
) {
  const { samples } = record;
  const monitored = { from, to: Math.max(samples.at(-1)?.at ?? to, to) };
  const gaps = findGaps(record, from, to, inputs.sampleInterval);
  const texts = gaps.map(({ text }) => text);
  const [title] = inputs.failIf.length > 0 ? gaps.map(gap => gap.title) : [];
  const reason = texts.filter(text => text !== title).map(text => ({ text }));
  return {
    measured: { samples, monitored, gate: judgeGate(inputs, samples, gaps.length > 0) },
    errors: title === undefined ? [] : [{ title, reason }],
    warnings: [...describeFailures(record), ...(title === undefined ? texts : [])],
  };
}

// Runners and networks stall, so a few slow responses must not count as a gap.
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 30_000;

interface Gap {
  readonly title: string;
  /** The title, and why the gap lasted to the end if that is known. */
  readonly text: string;
}

function findGaps(
  { samples, failures, endReason }: SampleRecord,
  from: number,
  to: number,
  intervalMs: number,
): Gap[] {
  const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
  const gaps: Gap[] = [];
  let last = from;
  for (const { at } of samples) {
    if (at - last > longest) gaps.push(describeGap(last, at));
    last = at;
  }
  // A monitor takes its first sample at `from`, which alone shows nothing of the job. One failure is
  // normal, since a step may delete the sandbox before the last sample.
  const isBlind = last === from && (samples.length === 0 || failures.length > 1);
  if (endReason === ENDED_AS_PLANNED && !isBlind && to - last <= longest) return gaps;
  return [...gaps, describeGap(last, Math.max(to, last), whyEnded(endReason))];
}

function whyEnded(endReason: string | undefined): string {
  if (endReason === undefined) return ', since what took the samples was killed or hangs';
  return endReason === ENDED_AS_PLANNED ? '' : `, since sampling had ended: ${endReason}`;
}

function describeGap(from: number, to: number, why = ''): Gap {
  const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}`;
  return { title: `${title}.`, text: `${title}${why}.` };
}

function describeFailures({ failures: [first, ...others] }: SampleRecord): string[] {
  if (first === undefined) return [];
  const suffix = others.length === 0 ? '' : ', the first';
  return [`${formatCount(others.length + 1, 'sample')} failed${suffix}: ${first}`];
}
