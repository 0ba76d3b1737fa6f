import type { Condition } from '../gate/conditions.ts';
import { type ExactNumber, toNumber } from '../gate/exact-number.ts';
import type { Breach } from '../gate/gate.ts';
import type { Judgement } from '../gate/judge.ts';
import { kindOf } from '../gate/metrics.ts';
import { formatBytes, formatDecimal } from '../text/units.ts';

/** A metric's figure in units for a reader: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: ExactNumber): string {
  const number = toNumber(figure);
  switch (kindOf(metric)) {
    case 'percentage':
      return `${formatDecimal(number)} %`;
    case 'bytes':
      return formatBytes(number);
    case 'mebibytes':
      return formatBytes(number * 2 ** 20);
    case 'plain':
    case undefined:
      return formatDecimal(number);
  }
}

/** A tripped condition with its figure and its limit. */
export function breachLine({ condition, figure, reported }: Breach): string {
  if (figure === undefined) return unjudged(condition, reported);
  const { text, metric, limit } = condition;
  return `${text}: it was ${formatFigure(metric, figure)}, the limit is ${formatFigure(metric, limit)}`;
}

/** A condition that does not hold, with the figure that was seen. */
export function judgementLine(judgement: Judgement): string {
  const { condition } = judgement;
  if (judgement.holds === undefined) return unjudged(condition, judgement.reported);
  return `${condition.text} does not hold: it was ${formatFigure(condition.metric, judgement.figure)}`;
}

function unjudged({ text, metric }: Condition, reported: readonly string[]): string {
  if (reported.length === 0) return `${text} cannot be judged: there are no stats`;
  return `${text} cannot be judged: the sandbox does not report ${metric}, but ${reported.join(', ')}`;
}
