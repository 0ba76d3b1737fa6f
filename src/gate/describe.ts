import { formatBytes, formatDecimal } from '../text/format.ts';
import type { Condition, Judgement } from './judge.ts';
import { type Unit, unitOf } from './metrics.ts';

/** Formats a figure in its metric's unit: `93.2 %`, `512 MiB`, `4`. */
export function formatFigure(metric: string, figure: number): string {
  return FORMATS[unitOf(metric) ?? 'plain'](figure);
}

const FORMATS: Readonly<Record<Unit, (figure: number) => string>> = {
  percentage: figure => `${formatDecimal(figure, 1)} %`,
  bytes: formatBytes,
  mebibytes: figure => formatBytes(figure * 2 ** 20),
  plain: figure => formatDecimal(figure, 2),
};

/** Formats a judged figure, unrounded if rounding would make it look equal to the limit. */
export function formatJudged({ metric, limit }: Condition, figure: number): string {
  const text = formatFigure(metric, figure);
  if (figure === limit || text !== formatFigure(metric, limit)) return text;
  return `${figure}${EXACT_UNITS[unitOf(metric) ?? 'plain']}`;
}

const EXACT_UNITS: Readonly<Record<Unit, string>> = {
  percentage: ' %',
  bytes: ' B',
  mebibytes: ' MiB',
  plain: '',
};

/** Describes a judgement in a line whose backticks mark code. */
export function describeJudgement(judgement: Judgement): string {
  const { condition } = judgement;
  const { text } = condition;
  if (judgement.result === 'unknown') return `\`${text}\` cannot be judged: ${judgement.why}`;
  const words = judgement.result === 'true' ? 'tripped:' : 'is false: it was';
  return `\`${text}\` ${words} ${formatJudged(condition, judgement.figure)}`;
}
