import { type ExactNumber, toNumber } from '../gate/exact-number.ts';
import type { Judgement } from '../gate/judge.ts';
import { type MetricKind, metricKind } from '../gate/metrics.ts';
import { firstOf } from '../text/cut.ts';
import { formatBytes, formatDecimal } from '../text/units.ts';

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

/** A tripped condition with its figure and its limit. */
export function breachLine(breach: Judgement): string {
  if (breach.holds === undefined) return unjudged(breach);
  const { text, metric, limit } = breach.condition;
  return `${text}: it was ${formatFigure(metric, breach.figure)}, the limit is ${formatFigure(metric, limit)}`;
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
