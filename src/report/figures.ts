import { compare, type ExactNumber, toNumber } from '../gate/exact-number.ts';
import { decidingOf, type Judgement, judge } from '../gate/judge.ts';
import { type MetricKind, metricKind } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { firstOf } from '../text/cut.ts';
import { formatBytes, formatCount, formatDecimal, formatDuration, formatTime } from '../text/units.ts';

/** A metric's figure in units for a reader: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: ExactNumber): string {
  return FORMATS[metricKind(metric) ?? 'plain'](toNumber(figure));
}

const FORMATS: Readonly<Record<MetricKind, (figure: number) => string>> = {
  percentage: figure => `${formatDecimal(figure)} %`,
  bytes: formatBytes,
  mebibytes: figure => formatBytes(figure * 2 ** 20),
  plain: formatDecimal,
};

/** A tripped condition, and what tripped it. */
export function breachLine(breach: Judgement, samples: readonly Sample[]): string {
  return breach.holds === undefined ? unjudged(breach) : `${breach.condition.text}: ${breachSentence(breach, samples)}`;
}

const SUBJECTS: readonly (readonly [metric: RegExp, subject: string])[] = [
  [/^cpu_used_pct$/, 'CPU'],
  [/^mem_used(_pct|_mib)?$/, 'Memory'],
  [/^mem_free$/, 'Free memory'],
  [/^disk_used(_pct)?$/, 'Disk'],
  [/^disk_free$/, 'Free disk space'],
];
const VERBS = { max: 'peaked at', min: 'fell to', mean: 'averaged', last: 'ended at' } as const;

/** What tripped, when and for how long: `Memory peaked at 90 % (limit 80 %) at 09:05:00 UTC, too high for 40 s`. */
export function breachSentence(breach: Judgement, samples: readonly Sample[]): string {
  const { metric, limit } = breach.condition;
  const subject = SUBJECTS.find(([pattern]) => pattern.test(metric))?.[1] ?? metric;
  if (breach.holds === undefined) return `${subject} cannot be judged`;
  const deciding = decidingOf(breach.condition);
  const verb = samples.length < 2 || deciding === undefined ? 'was at' : VERBS[deciding];
  const peak = `${subject} ${verb} ${formatFigure(metric, breach.figure)} (limit ${formatFigure(metric, limit)})`;
  return samples.length < 2 || deciding === 'mean' || deciding === 'last' ? peak : `${peak}${whenOf(breach, samples)}`;
}

function whenOf({ condition, figure }: Extract<Judgement, { holds: boolean }>, samples: readonly Sample[]): string {
  const each = { ...condition, aggregate: undefined };
  const judged = samples.map(({ at, figures }) => ({ at, ...judge(each, [figures]) }));
  const peak = judged.find(one => one.holds !== undefined && compare(one.figure, figure) === 0);
  // What lies between two readings that both trip is taken to trip as well, unless it is uncommonly long.
  const longest = (10 * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0))) / samples.length;
  const lengths = judged.map(({ at, holds }, index) => {
    const before = judged[index - 1];
    return holds && before?.holds && at - before.at <= longest ? Math.max(at - before.at, 0) : 0;
  });
  const ms = lengths.reduce((sum, length) => sum + length);
  const count = judged.filter(({ holds }) => holds).length;
  const how = { '<': ', too low', '>': ', too high' }[condition.operator.charAt(0)] ?? '';
  return ` at ${formatTime(peak?.at ?? 0)}${how} ${ms === 0 ? `in ${formatCount(count, 'reading')}` : `for ${formatDuration(ms)}`}`;
}

/** A condition that does not hold, with the figure that was seen. */
export function judgementLine(judgement: Judgement): string {
  if (judgement.holds === undefined) return unjudged(judgement);
  const { text, metric } = judgement.condition;
  return `${text} does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}

// An agent may report hundreds.
const MAX_REPORTED = 30;

function unjudged({ condition, samples, missing, reported }: Extract<Judgement, { holds: undefined }>): string {
  const { text, metric } = condition;
  if (samples === 0) return `${text} cannot be judged: there are no stats`;
  if (missing < samples) return `${text} cannot be judged: ${missing} of ${samples} readings do not report ${metric}`;
  const names = firstOf(reported, MAX_REPORTED, { show: name => name, more: rest => `${rest} more` });
  return `${text} cannot be judged: the sandbox does not report ${metric}; it reports ${names.join(', ') || 'nothing'}`;
}
