import type { Aggregate } from '../gate/conditions.ts';
import { aggregateOf, decidingOf, figuresOf, type Judgement, judge } from '../gate/judge.ts';
import { type MetricKind, metricKind } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import {
  abbreviate,
  formatBytes,
  formatCount,
  formatDecimal,
  formatDuration,
  formatTime,
} from '../text/format.ts';

/** A metric's figure for a reader: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: number): string {
  return FORMATS[metricKind(metric) ?? 'plain'](figure);
}

const FORMATS: Readonly<Record<MetricKind, (figure: number) => string>> = {
  percentage: figure => `${formatDecimal(figure, 1)} %`,
  bytes: formatBytes,
  mebibytes: figure => formatBytes(figure * 2 ** 20),
  plain: figure => formatDecimal(figure, 2),
};

/** One figure for a metric over samples; undefined if none of them reports it. */
export function figureOver(
  metric: string,
  aggregate: Aggregate,
  samples: readonly Sample[],
): number | undefined {
  const all = samples.map(({ figures }) => figures);
  const figures = figuresOf(metric, all);
  return figures && aggregateOf(aggregate, figures);
}

/** A tripped condition, and what tripped it. */
export function breachLine(breach: Judgement, samples: readonly Sample[]): string {
  return breach.holds === undefined
    ? describeUnjudged(breach)
    : `${breach.condition.text}: ${breachSentence(breach, samples)}`;
}

const SUBJECTS: readonly (readonly [metric: RegExp, subject: string])[] = [
  [/^cpu_used_pct$/, 'CPU'],
  [/^mem_used(_pct|_mib)?$/, 'Memory'],
  [/^mem_free$/, 'Free memory'],
  [/^disk_used(_pct)?$/, 'Disk'],
  [/^disk_free$/, 'Free disk space'],
];
const VERBS = { max: 'peaked at', min: 'fell to', mean: 'averaged', last: 'ended at' } as const;

/** Such as `Memory peaked at 90 % (limit 80 %) at 09:05:00 UTC, too high for 40 s`. */
export function breachSentence(breach: Judgement, samples: readonly Sample[]): string {
  const { metric, limit } = breach.condition;
  const subject = SUBJECTS.find(([pattern]) => pattern.test(metric))?.[1] ?? metric;
  if (breach.holds === undefined) return `${subject} cannot be judged`;
  const deciding = decidingOf(breach.condition);
  const isSingle = samples.length < 2;
  const verb = isSingle || deciding === undefined ? 'was at' : VERBS[deciding];
  const figure = formatFigure(metric, breach.figure);
  const peak = `${subject} ${verb} ${figure} (limit ${formatFigure(metric, limit)})`;
  if (isSingle || deciding === 'mean' || deciding === 'last') return peak;
  return `${peak}${describeTime(breach, samples)}`;
}

/** When the deciding figure was sampled, and for how long samples in a row tripped. */
function describeTime(
  { condition, figure }: Extract<Judgement, { holds: boolean }>,
  samples: readonly Sample[],
): string {
  const single = { ...condition, aggregate: undefined };
  const judged = samples.map(({ at, figures }) => ({ at, ...judge(single, [figures]) }));
  const peak = judged.find(one => one.holds !== undefined && one.figure === figure);
  // Between two samples that trip, the condition counts as held, unless they are far apart.
  const longest = (10 * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0))) / samples.length;
  let ms = 0;
  for (const [index, { at, holds }] of judged.entries()) {
    const before = judged[index - 1];
    if (holds && before?.holds && at - before.at <= longest) ms += Math.max(at - before.at, 0);
  }
  const count = judged.filter(({ holds }) => holds).length;
  const how = { '<': ', too low', '>': ', too high' }[condition.operator.charAt(0)] ?? '';
  const howLong = ms === 0 ? `in ${formatCount(count, 'sample')}` : `for ${formatDuration(ms)}`;
  return ` at ${formatTime(peak?.at ?? 0)}${how} ${howLong}`;
}

/** A condition that does not hold, with the figure that was seen. */
export function judgementLine(judgement: Judgement): string {
  if (judgement.holds === undefined) return describeUnjudged(judgement);
  const { text, metric } = judgement.condition;
  return `${text} does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}

// An agent may report hundreds of metrics.
const MAX_REPORTED = 30;

function describeUnjudged({
  condition,
  samples,
  missing,
  reported,
}: Extract<Judgement, { holds: undefined }>): string {
  const { text, metric } = condition;
  if (samples === 0) return `${text} cannot be judged: there are no stats`;
  if (missing < samples)
    return `${text} cannot be judged: ${missing} of ${samples} samples do not report ${metric}`;
  const names = abbreviate(reported, MAX_REPORTED, {
    show: name => name,
    more: rest => `${rest} more`,
  });
  const list = names.join(', ') || 'nothing';
  return `${text} cannot be judged: the sandbox does not report ${metric}; it reports ${list}`;
}
